import { mock } from 'node:test';

/** Runs `work` while both clocks of the process, the date and the monotonic one, advance only manually. */
export async function withClock(run: (tick: (milliseconds: number) => void) => Promise<void>): Promise<void> {
  const [date, steady] = [Date.now(), performance.now()];
  mock.timers.enable({ apis: ['Date'], now: date });
  const clock = mock.method(performance, 'now', () => steady + Date.now() - date);
  try {
    await run((milliseconds) => mock.timers.tick(milliseconds));
  } finally {
    clock.mock.restore();
    mock.timers.reset();
  }
}
