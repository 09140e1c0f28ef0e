import { openSync, readSync } from 'node:fs';
import { safely } from '#core/coded-error';

let schedule: number | undefined; // file descriptor of this thread's figures; −1 where there are none
const text = Buffer.alloc(80);

/**
 * Returns the milliseconds for which this thread was ready to run and had no processor since it began: on Linux, from
 * `schedstat`, which takes microseconds; undefined elsewhere.
 */
export function readStoppedMs(): number | undefined {
  schedule ??= safely(() => openSync('/proc/thread-self/schedstat', 'r'), -1);
  if (schedule === -1) return undefined;
  try {
    const [, waited] = text.toString('latin1', 0, readSync(schedule, text, 0, text.length, 0)).split(' ');
    return Number(waited) / 1e6;
  } catch {
    schedule = -1;
    return undefined;
  }
}
