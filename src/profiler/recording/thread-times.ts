import { openSync, readSync } from 'node:fs';
import { safely } from '#core/coded-error';

let schedule: number | undefined; // descriptor of this thread's schedstat file; −1 if unavailable
const text = Buffer.alloc(80);

/**
 * Returns the total time for which this thread was ready to run but not scheduled, in milliseconds, read from
 * `schedstat` on Linux (takes microseconds); undefined on other systems.
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
