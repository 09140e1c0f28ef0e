import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const maxWaitMs = 30_000;

/**
 * Calls `find` every few milliseconds (less often after a quarter of a second) until it returns a value, and returns that. Fails after 30 seconds
 * with a description of what was missing.
 */
export async function until<Found>(
  find: () => Found | Promise<Found>,
  waitedFor: string | (() => string) = String(find),
): Promise<Exclude<Awaited<Found>, undefined | false>> {
  const end = performance.now() + maxWaitMs;
  for (let tries = 0; ; tries++) {
    const found = await find();
    if (found !== undefined && found !== false) return found as Exclude<Awaited<Found>, undefined | false>; // excludes both, as just checked
    if (performance.now() > end)
      assert.fail(`timed out waiting for: ${typeof waitedFor === 'string' ? waitedFor : waitedFor()}`);
    await sleep(tries < 50 ? 5 : 25);
  }
}

/** Waits until a value is stable: the same ten times, 15 ms apart. */
export async function untilStill(value: () => unknown): Promise<void> {
  const end = performance.now() + maxWaitMs;
  let last = await value();
  for (let same = 0; same < 10; same++) {
    await sleep(15); // only waiting shows that nothing more arrives
    const next = await value();
    if (next === last) continue;
    assert.ok(performance.now() < end, `never settled: ${String(value)}`);
    last = next;
    same = -1;
  }
}
