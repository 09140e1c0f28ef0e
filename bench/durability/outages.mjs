import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openStore } from '../../dist/bundle/profiler.js';
import { idOf } from '../../dist/src/profiler/encoding/token.js';
import { spreadOf, startLoad, startWatched, until } from './clients.mjs';

const mebibytes = (bytes) => bytes / 1024 / 1024;

/**
 * Breaks the store of a process under load and restores it: checks that exactly the records reported as missing are missing. Responses
 * within `lossMs` before the outage may be missing too: they were stored, but not yet on the server's disk.
 */
export async function outlive(store, { harm, lossMs = 0, perSecond = 150 }) {
  const { child, port } = await startWatched('framework', store);
  const load = startLoad(port, { connections: 8, perSecond });
  try {
    await wait(2000);
    const harmed = performance.now();
    await harm();
    const marked = await until(() => load.answers.at(-1), { what: 'a response after the outage' });
    await until(() => findIn(store, marked), { what: `record ${marked.token} in the store` });
    await wait(1000);
    const { answers, unanswered } = await load.stop();
    const counters = await until(
      async () => {
        const now = await child.ask('counters');
        return now.pending + now.open === 0 && now;
      },
      { what: 'no pending records' },
    );
    const missing = await missingOf(store, answers);
    const unsafe = missing.filter(({ at }) => at > harmed - lossMs && at < harmed).length;
    const dropped = Object.values(counters.dropped).reduce((total, count) => total + count, 0);
    const { made, stored, pruned, pending } = counters;
    const { p50, p99, greatest } = spreadOf(answers.map(({ ms }) => ms));
    return {
      isProven:
        unanswered === 0 &&
        made === answers.length &&
        made === stored + pruned + dropped + pending &&
        missing.length >= pruned + dropped &&
        missing.length - unsafe <= pruned + dropped,
      text:
        `${answers.length} responses (p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(0)}, longest ${greatest.toFixed(0)} ms), ` +
        `${unanswered} requests without a response; ${made} made = ${stored} stored + ${pruned} pruned + ${dropped} dropped + ` +
        `${pending} pending; ${missing.length} are not in the store` +
        (lossMs === 0 ? '' : `, ${unsafe} of them answered less than ${lossMs} ms before the outage`),
    };
  } finally {
    await load.stop();
    await child.stop();
  }
}

async function findIn(address, { token }) {
  const store = openStore(address, { isReadOnly: true });
  try {
    return (await store.find(idOf(token) ?? -1)).kind === 'found';
  } catch {
    return false;
  } finally {
    await store.close();
  }
}

async function missingOf(address, answers) {
  const store = openStore(address, { isReadOnly: true });
  const missing = [];
  for (const answer of answers)
    if ((await store.find(idOf(answer.token) ?? -1)).kind !== 'found') missing.push(answer);
  await store.close();
  return missing;
}

/** Keeps a disk full for a while. */
export async function fillDisk(folder, { ms }) {
  const filler = join(folder, 'filler');
  const block = Buffer.alloc(4096);
  const end = performance.now() + ms;
  while (performance.now() < end) {
    try {
      for (;;) writeFileSync(filler, block, { flag: 'a' });
    } catch {
      await wait(50); // the disk is full; also use up the space that the store frees
    }
  }
  rmSync(filler);
}

/** Mounts a small disk; returns undefined if that is not allowed. */
export function mountDisk(folder, size) {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]).status === 0;
}

/**
 * Checks that a server responds even if its store never does, and that pending records take at most 64 MiB more memory than the same server
 * uses under the same load with a working store.
 */
export async function hang({ requests, working, limitMiB = 64 }) {
  const sockets = new Set();
  const mute = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).resume();
  });
  await new Promise((resolve) => mute.listen(0, '127.0.0.1', resolve));
  try {
    const usual = await growUnderLoad(working, requests);
    const hung = await growUnderLoad(
      `postgres://postgres@127.0.0.1:${mute.address().port}/postgres`,
      requests,
    );
    const { answers, unanswered, startMiB, grewMiB, heapMiB, pending, dropped } = hung;
    return {
      isProven: unanswered === 0 && grewMiB - usual.grewMiB <= limitMiB,
      text:
        `${answers} responses, ${unanswered} requests without one; after the first thousand (resident ${startMiB.toFixed(0)} MiB) it grew ` +
        `by ${grewMiB.toFixed(0)} MiB at most (with a working store: ${usual.grewMiB.toFixed(0)}); its heap by ` +
        `${heapMiB.toFixed(1)}; ${pending} records pending, ${JSON.stringify(dropped)} dropped`,
    };
  } finally {
    for (const socket of sockets) socket.destroy();
    mute.close();
  }
}

async function growUnderLoad(store, requests) {
  const { child, port } = await startWatched('framework', store, { flags: ['--expose-gc'] });
  const load = startLoad(port, { connections: 32 });
  try {
    await until(() => load.answers.length > 1000, { what: 'a thousand responses' });
    const before = await child.ask('memory');
    let greatest = 0;
    await until(
      async () => {
        greatest = Math.max(greatest, (await child.ask('memory')).rss);
        return load.answers.length > requests;
      },
      { ms: 600_000, what: `${requests} answers` },
    );
    const { answers, unanswered } = await load.stop();
    const after = await child.ask('memory');
    return {
      answers: answers.length,
      unanswered,
      startMiB: mebibytes(before.rss),
      grewMiB: mebibytes(greatest - before.rss),
      heapMiB: mebibytes(after.heapUsed - before.heapUsed),
      ...(await child.ask('counters')),
    };
  } finally {
    await load.stop();
    await child.stop();
  }
}
