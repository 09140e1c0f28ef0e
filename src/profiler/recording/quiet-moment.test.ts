import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { QuietMoment } from './quiet-moment.js';

/** A moment of a process with as many requests as the test says, and what has run. */
function momentOf({ activity = (): number => 0, openCount = (): number => 0 } = {}): {
  readonly moment: QuietMoment;
  readonly ran: string[];
  readonly failures: unknown[];
  readonly over: Promise<void>;
} {
  const [ran, failures]: [string[], unknown[]] = [[], []];
  const moment = new QuietMoment({ activity, openCount, failed: (error) => void failures.push(error) });
  const over = new Promise<void>((resolve) => {
    moment.prepare(() => {
      ran.push('prepared');
      resolve();
    });
  });
  return { moment, ran, failures, over };
}

/** Waits while the moment's own timer keeps no process alive. */
async function awaitIt(over: Promise<void>): Promise<void> {
  const alive = setInterval(() => undefined, 10_000);
  await over;
  clearInterval(alive);
}

describe('the first quiet moment', () => {
  it('comes by itself without requests, and runs what is prepared before what is postponed, in order', async () => {
    const { moment, ran, over } = momentOf();
    for (const name of ['first', 'second']) moment.postpone(() => void ran.push(name));
    moment.prepare(() => void ran.push('prepared too'));
    moment.start();
    assert.deepEqual([ran, moment.isOver], [[], false]);
    await awaitIt(over);
    assert.deepEqual([ran, moment.isOver], [['prepared', 'prepared too', 'first', 'second'], true]);
    moment.postpone(() => void ran.push('at once'));
    assert.equal(ran.at(-1), 'at once');
  });

  it('comes in the end although requests begin all the time, or one never ends', async () => {
    let requests = 0;
    for (const busy of [{ activity: () => ++requests }, { openCount: () => 1 }]) {
      const { moment, over } = momentOf(busy);
      moment.start();
      await awaitIt(over);
      assert.equal(moment.isOver, true);
    }
    assert.ok(requests > 2, 'it looked again');
  });

  it('does not come while a request is open that neither begins nor ends anything, unless time is up', async () => {
    let looks = 0;
    const { moment, over } = momentOf({ openCount: () => (++looks <= 2 ? 1 : 0) });
    const began = performance.now();
    moment.start();
    await awaitIt(over);
    assert.ok(looks > 2 || performance.now() - began >= 500, `after ${looks} looks`);
  });

  it('comes earlier if something important is postponed than after the start alone', async () => {
    let requests = 0;
    const [hurried, started] = [0, 1].map(() => momentOf({ activity: () => ++requests }));
    const order: string[] = [];
    hurried?.moment.postpone(() => void order.push('hurried'));
    started?.moment.postpone(() => void order.push('started'));
    hurried?.moment.hurry();
    started?.moment.start();
    await awaitIt(Promise.all([hurried?.over, started?.over]).then(() => undefined));
    assert.deepEqual(order, ['hurried', 'started']);
  });

  it('comes at once for a reader; at the end of the process, what is prepared no longer runs', () => {
    const read = momentOf();
    read.moment.postpone(() => void read.ran.push('postponed'));
    read.moment.come();
    assert.deepEqual(read.ran, ['prepared', 'postponed']);
    const last = momentOf();
    last.moment.postpone(() => void last.ran.push('postponed'));
    last.moment.come({ isLast: true });
    last.moment.come();
    assert.deepEqual(last.ran, ['postponed']);
    read.moment.prepare(() => void read.ran.push('late'));
    assert.equal(read.ran.at(-1), 'late');
  });

  it('is not awaited by more than a bounded amount of work, and a failure stops nothing else', () => {
    const { moment, ran, failures } = momentOf();
    moment.prepare(() => assert.fail('broken'));
    for (let count = 0; count < 1000; count++) moment.postpone(() => void ran.push('work'));
    assert.equal(ran.length, 1001);
    assert.deepEqual(failures.map(String), ['AssertionError [ERR_ASSERTION]: broken']);
  });
});
