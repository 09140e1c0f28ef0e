import { openSync, readSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

export interface ThreadTimes {
  /** Processor time of the process. */
  readonly ranMs: number;
  /** Time for which this thread was ready to run and had no processor; NaN where that is unknown. */
  readonly stoppedMs: number;
}

let schedule: number | undefined; // file descriptor of this thread's figures; −1 where there are none
const text = Buffer.alloc(80);

/** Reads the thread's times: on Linux from `schedstat`, which takes microseconds. */
export function readThreadTimes(): ThreadTimes {
  schedule ??= openSchedule();
  if (schedule !== -1)
    try {
      const [, waited] = text.toString('latin1', 0, readSync(schedule, text, 0, text.length, 0)).split(' ');
      return { ranMs: 0, stoppedMs: Number(waited) / 1e6 };
    } catch {
      schedule = -1;
    }
  const { user, system } = process.cpuUsage();
  return { ranMs: (user + system) / 1000, stoppedMs: Number.NaN };
}

function openSchedule(): number {
  try {
    return openSync('/proc/thread-self/schedstat', 'r');
  } catch {
    return -1;
  }
}

/**
 * Returns the milliseconds of `performance.now` without those for which this thread was ready to run and had no processor,
 * where that is known: the difference of two readings is work, also on a machine that has much else to do.
 */
export function readWorkClock(): number {
  let before = readThreadTimes().stoppedMs;
  for (;;) {
    const now = performance.now();
    const { stoppedMs } = readThreadTimes();
    if (Number.isNaN(stoppedMs)) return now;
    if (stoppedMs === before) return now - stoppedMs;
    before = stoppedMs; // the thread was stopped between the two readings
  }
}
