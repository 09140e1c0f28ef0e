import { setTimeout as wait } from 'node:timers/promises';
import { openStore } from '../../dist/bundle/profiler.js';
import { idOf } from '../../dist/src/profiler/encoding/token.js';
import { ask, spreadOf, startLoad, startWatched, until } from './clients.mjs';

/** Records of failed requests must be stored if their response is older than this when the process is killed. */
const safeMs = 50;

/**
 * Kills a process under load `count` times, each time a new one on the same store, and looks up the record of every response. A process
 * counts from the moment when its first record is stored; how long that takes is reported separately.
 */
export async function kill(store, count) {
  const killed = [];
  const begun = [];
  for (let number = 0; number < count; number++) {
    const kind = number % 2 === 0 ? 'framework' : 'attached';
    const { child, port } = await startWatched(kind, store);
    begun.push(await firstStored(store, port));
    const load = startLoad(port, { perSecond: 500, name: `${kind}-${number}` });
    await wait(300 + ((number * 397) % 1700)); // the kills are spread so that they hit every phase of a write
    const at = performance.now();
    process.kill(child.pid, 'SIGKILL');
    await child.stop();
    const { answers } = await load.stop();
    killed.push(...answers.map((answer) => ({ ...answer, age: at - answer.at })));
  }
  return judge(store, killed, begun);
}

/** Milliseconds from the first response (to a failing request) until its record is stored. */
async function firstStored(address, port) {
  const { token, at } = await ask(port, '/fail/first');
  const store = openStore(address);
  await until(async () => (await store.find(idOf(token) ?? -1)).kind === 'found', {
    what: 'the first record',
  });
  await store.close();
  return performance.now() - at;
}

async function judge(address, answers, begun) {
  const tokens = new Set(answers.map(({ token }) => token));
  const store = openStore(address);
  const lost = [];
  let foreign = 0;
  for (const answer of answers) {
    const found = await store.find(idOf(answer.token) ?? -1);
    if (found.kind !== 'found') lost.push(answer);
    else if (found.record.request.path !== answer.path) foreign++;
  }
  const { tally } = await store.append({ records: [] }); // the store still accepts writes
  await store.close();
  const failed = answers.filter(({ status }) => status >= 500);
  const lostFailed = lost.filter(({ status }) => status >= 500).map(({ age }) => age);
  const lateLost = lostFailed.filter((age) => age > safeMs);
  const twice = answers.length - tokens.size;
  const oldest = (some) => Math.max(0, ...some).toFixed(0);
  return {
    isProven: lateLost.length === 0 && twice === 0 && foreign === 0 && failed.length > 0,
    text:
      `${answers.length} responses, ${failed.length} to failed requests; ${tally.records} records in the store, ` +
      `${tally.notice ?? 'no notice'}. Lost: ${lateLost.length} failed ones older than ${safeMs} ms ` +
      `(${lostFailed.length} of any age, the oldest ${oldest(lostFailed)} ms), ` +
      `${lost.length - lostFailed.length} others (the oldest ${oldest(lost.map(({ age }) => age))} ms). ` +
      `${twice} duplicate tokens, ${foreign} records of a different request. The first record of a process was stored after ` +
      `${spreadOf(begun).p50.toFixed(0)} ms (at most ${spreadOf(begun).greatest.toFixed(0)})`,
  };
}
