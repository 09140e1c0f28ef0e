import { openSync, readSync } from 'node:fs';

/**
 * A clock that runs only while this process's main thread does, in nanoseconds: other programs on the machine do not
 * lengthen what it measures. The wall clock where the system has none (it is read from Linux's schedstat).
 */
export function createThreadClock() {
  const file = openSchedstat();
  if (file === undefined) return () => Number(process.hrtime.bigint());
  const bytes = Buffer.alloc(64);
  return () => {
    process.cpuUsage(); // brings the thread's account up to date, which is otherwise done a few hundred times a second
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
