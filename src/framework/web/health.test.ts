import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runChecks } from './health.js';

const never = (): Promise<never> => new Promise(() => undefined);

describe("an application's checks", () => {
  it('fail by throwing, rejecting, returning false, or taking too long, each separately', async () => {
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
        odd: () => Promise.reject({ toString: () => assert.fail('foreign code ran') }),
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
        ['no', 'failed', 'the check returned false'],
        ['later', 'failed', 'the check returned false'],
        ['throws', 'failed', 'Error: disk full'],
        ['rejects', 'failed', 'TypeError: no route'],
        ['odd', 'failed', outcomes.get('odd')?.error],
        ['hangs', 'failed', 'took longer than 30 ms'],
      ],
    );
    assert.equal(typeof outcomes.get('odd')?.error, 'string');
  });

  it('run concurrently, and a signal ends abandoned ones', async () => {
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

  it('have errors truncated to 200 characters', async () => {
    const outcomes = await runChecks(
      {
        long: () => {
          throw new Error('x'.repeat(10_000));
        },
      },
      1000,
    );
    assert.equal(outcomes.get('long')?.error?.length, 200);
  });

  it('have no outcomes if there are none', async () => {
    assert.equal((await runChecks({}, 10)).size, 0);
  });
});
