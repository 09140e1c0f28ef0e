import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { describe, it } from 'node:test';
import { readWorkClock } from './thread-times.js';

/** Works for so many milliseconds, and returns those of both clocks. */
function work(milliseconds: number): { readonly wall: number; readonly own: number } {
  const [begun, own] = [performance.now(), readWorkClock()];
  while (performance.now() < begun + milliseconds);
  return { own: readWorkClock() - own, wall: performance.now() - begun };
}

describe('the clock of a thread’s work', () => {
  it('never runs faster than time', () => {
    for (let time = 0; time < 20; time++) {
      const { wall, own } = work(5);
      assert.ok(own <= wall + 0.1, `${own} of ${wall} ms`);
    }
  });

  it(
    'stands still while other processes have the processors',
    { skip: !existsSync('/proc/thread-self/schedstat') },
    async () => {
      const busy = 'const end = Date.now() + 10_000; while (Date.now() < end);';
      const others = Array.from({ length: availableParallelism() * 4 }, () =>
        execFile(process.execPath, ['-e', busy]),
      );
      try {
        let seen = work(20);
        const end = performance.now() + 9000;
        // Until they have begun: then this thread has about a fifth of a processor.
        while (seen.own > seen.wall * 0.7 && performance.now() < end) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          seen = work(200);
        }
        assert.ok(seen.own <= seen.wall * 0.7, `${seen.own} of ${seen.wall} ms`);
      } finally {
        for (const other of others) other.kill('SIGKILL');
      }
    },
  );
});
