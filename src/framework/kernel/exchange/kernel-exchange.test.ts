import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createDispatcher } from '#core/events';
import { HttpRequest, HttpResponse } from '#core/http';
import { createLogger } from '#core/log';
import { attempt, KernelExchange, whenDone, runSteps, type Step } from './kernel-exchange.js';

function exchange(): KernelExchange {
  const request = new HttpRequest({
    method: 'GET',
    target: '/',
    rawHeaders: ['Host', 'localhost'],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
  });
  return new KernelExchange(request, {
    dispatcher: createDispatcher(),
    log: createLogger({ handlers: [] }),
    controllerOf: () => assert.fail('no route is asked for'),
  });
}

/** What a step does: goes on, answers, notes a miss, or fails; at once or later. */
interface Plan {
  readonly does: 'go on' | 'answer' | 'miss' | 'fail';
  readonly isLate: boolean;
}

const plan = fc.record<Plan>({
  does: fc.constantFrom('go on', 'go on', 'go on', 'answer', 'miss', 'fail'),
  isLate: fc.boolean(),
});

function stepsOf(plans: readonly Plan[], seen: number[]): Step[] {
  return plans.map(({ does, isLate }, at) => (one) => {
    const act = (): void => {
      seen.push(at);
      if (does === 'fail') throw new Error(String(at));
      if (does === 'answer') one.response = new HttpResponse();
      if (does === 'miss') one.miss = new Error('missed');
    };
    return isLate ? Promise.resolve().then(act) : act();
  });
}

/** Which steps are to run, and whether the last of them fails. */
function expected(plans: readonly Plan[]): { seen: number[]; fails: boolean } {
  const end = plans.findIndex(({ does }) => does !== 'go on');
  const seen = plans.map((_, at) => at).slice(0, end === -1 ? plans.length : end + 1);
  return { seen, fails: plans[end]?.does === 'fail' };
}

describe('runSteps', () => {
  it('runs the steps in order, to the one that ends them, and gives a promise only where one gave it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { maxLength: 6 }), async (plans) => {
        const seen: number[] = [];
        const wanted = expected(plans);
        const isLate = wanted.seen.some((at) => plans[at]?.isLate === true);
        let hasFailed = false;
        try {
          const pending = runSteps(stepsOf(plans, seen), exchange());
          assert.equal(pending instanceof Promise, isLate);
          await pending;
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          hasFailed = true;
        }
        assert.deepEqual({ seen, fails: hasFailed }, wanted);
      }),
    );
  });
});

describe('attempt', () => {
  it('recovers from what fails, now or later, and stays synchronous while all of it is', async () => {
    const recovered: string[] = [];
    const recover = (subject: string, error: unknown): void =>
      void recovered.push(`${subject} ${(error as Error).message}`); // thrown below
    const fail = (message: string): never => {
      throw new Error(message);
    };
    assert.equal(
      attempt(() => undefined, 'a', recover),
      undefined,
    );
    assert.equal(
      attempt(() => fail('at once'), 'b', recover),
      undefined,
    );
    await attempt(() => Promise.reject(new Error('later')), 'c', recover);
    await attempt(() => Promise.resolve(), 'd', recover);
    assert.deepEqual(recovered, ['b at once', 'c later']);
  });

  it('lets what the recovery throws go on', async () => {
    const again = (): never => {
      throw new Error('again');
    };
    assert.throws(() => attempt(() => again(), 'a', again), /again/);
    await assert.rejects(async () => attempt(() => Promise.reject(new Error('late')), 'a', again), /again/);
  });
});

describe('whenDone', () => {
  it('proceeds with both values when the work is done, and not where it failed', async () => {
    const seen: [string, number][] = [];
    const proceed = (left: string, right: number): void => void seen.push([left, right]);
    assert.equal(whenDone(undefined, proceed, 'a', 1), undefined);
    assert.deepEqual(seen, [['a', 1]]);
    const pending = whenDone(Promise.resolve(), proceed, 'b', 2);
    assert.equal(seen.length, 1);
    await pending;
    await assert.rejects(async () => whenDone(Promise.reject(new Error('no')), proceed, 'c', 3), /no/);
    assert.deepEqual(seen, [
      ['a', 1],
      ['b', 2],
    ]);
  });
});
