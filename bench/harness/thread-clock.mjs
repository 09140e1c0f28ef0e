import { openSync, readSync } from 'node:fs';

/**
 * A clock in nanoseconds that advances only while this process's main thread runs, so other programs on the machine do not distort
 * measurements. It reads Linux's schedstat; on other systems it is the wall clock.
 */
export function createThreadClock() {
  const file = openSchedstat();
  if (file === undefined) return () => Number(process.hrtime.bigint());
  const bytes = Buffer.alloc(64);
  return () => {
    process.cpuUsage(); // updates the thread's account, which otherwise happens a few hundred times per second
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return Number(bytes.latin1Slice(0, length).split(' ', 1)[0]);
  };
}

function openSchedstat() {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`);
  } catch {
    return undefined;
  }
}
