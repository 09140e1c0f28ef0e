import { readCpuTime } from './schedstat.mjs';
import { spreadOf } from './summarise-pair.mjs';

/**
 * Times `work(count)`, which does something `count` times, in rounds of a fixed length after a warm-up. Returns the cost of one repetition,
 * in the requested unit.
 */
export async function timeRounds(work, { isQuick, unit = 'µs' }) {
  const roundMs = isQuick ? 80 : 300;
  let count = 1;
  let took = 0;
  for (let warm = 0; warm < (isQuick ? 300 : 1000); warm += took) {
    took = await timeOnce(work, count);
    if (took < roundMs) count = Math.ceil(count * Math.min(4, (roundMs * 1.1) / Math.max(took, 0.01)));
  }
  const costs = [];
  for (let round = 0; round < (isQuick ? 5 : 9); round++) {
    globalThis.gc?.();
    costs.push(((await timeOnce(work, count)) / count) * perMillisecond[unit]);
  }
  return spreadOf(costs);
}

const perMillisecond = { ns: 1e6, µs: 1e3, ms: 1 };

/** Milliseconds of this thread's CPU time, or by the wall clock if the system does not report CPU time. */
async function timeOnce(work, count) {
  const [start, used] = [performance.now(), readCpuTime(process.pid)];
  await work(count);
  const [end, usedThen] = [performance.now(), readCpuTime(process.pid)];
  return used === undefined ? end - start : (usedThen.main - used.main) / 1e6;
}
