import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runChecks } from './health.js';

const never = (): Promise<never> => new Promise(() => undefined);

describe('the checks of an application', () => {
  it('fail by throwing, rejecting, false, or taking too long, each separately', async () => {
    const outcomes = await runChecks(
      {
        well: () => undefined,
        truthy: async () => 'fine',
        zero: () => 0,
        no: () => false,
        later: async () => false,
        throws: () => {
          throw new Error('disk full');
        },
        rejects: () => Promise.reject(new TypeError('no route')),
        odd: () => Promise.reject({ toString: null }),
        hangs: never,
      },
      30,
    );
    assert.deepEqual(
      [...outcomes].map(([name, { status, error }]) => [name, status, error]),
      [
        ['well', 'ok', undefined],
        ['truthy', 'ok', undefined],
        ['zero', 'ok', undefined],
        ['no', 'failed', 'the check said no'],
        ['later', 'failed', 'the check said no'],
        ['throws', 'failed', outcomes.get('throws')?.error],
        ['rejects', 'failed', outcomes.get('rejects')?.error],
        ['odd', 'failed', outcomes.get('odd')?.error],
        ['hangs', 'failed', 'took longer than 30 ms'],
      ],
    );
    assert.match(outcomes.get('throws')?.error ?? '', /disk full/);
    assert.match(outcomes.get('rejects')?.error ?? '', /no route/);
    assert.equal(typeof outcomes.get('odd')?.error, 'string');
  });

  it('run at once, and a signal ends what is given up', async () => {
    const signals: AbortSignal[] = [];
    const check = (signal: AbortSignal): Promise<never> => {
      signals.push(signal);
      return never();
    };
    const running = runChecks({ a: check, b: check }, 20);
    assert.equal(signals.length, 2, 'both began');
    assert.ok(signals.every(({ aborted }) => !aborted));
    await running;
    assert.ok(signals.every(({ aborted }) => aborted));
  });

  it('what a check throws is cut: it may hold anything', async () => {
    const outcomes = await runChecks(
      {
        long: () => {
          throw new Error('x'.repeat(10_000));
        },
      },
      1000,
    );
    assert.ok((outcomes.get('long')?.error?.length ?? 0) <= 200);
  });

  it('none is none', async () => {
    assert.equal((await runChecks({}, 10)).size, 0);
  });
});

describe('checks of health', () => {
  it('fail by throwing, by rejecting, by false and by taking too long, and never fail the others', async () => {
    let stopped = false;
    const found = await runChecks(
      {
        fine: () => 'anything',
        empty: () => undefined,
        no: () => false,
        throws: () => {
          throw new Error('down');
        },
        rejects: async () => Promise.reject(new TypeError('gone')),
        hangs: (signal) =>
          new Promise(() => {
            signal.addEventListener('abort', () => (stopped = true), { once: true });
          }),
      },
      20,
    );
    const said = Object.fromEntries([...found].map(([name, { status, error }]) => [name, error ?? status]));
    assert.deepEqual(said, {
      fine: 'ok',
      empty: 'ok',
      no: 'the check said no',
      throws: 'Error: down',
      rejects: 'TypeError: gone',
      hangs: 'took longer than 20 ms',
    });
    assert.equal(stopped, true);
  });

  it('say of a thrown value that is no error what it is, in at most 200 characters', async () => {
    const found = await runChecks(
      {
        long: () => {
          throw new Error('x'.repeat(1000));
        },
        odd: () => {
          // oxlint-disable-next-line typescript/only-throw-error -- what others throw
          throw { toString: () => assert.fail('foreign code ran') };
        },
      },
      1000,
    );
    assert.equal(found.get('long')?.error?.length, 200);
    assert.equal(found.get('odd')?.status, 'failed');
  });
});
