import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createDispatcher } from '#core/events';
import { HttpRequest, HttpResponse } from '#core/http';
import { createLogger } from '#core/log';
import { KernelExchange } from './exchange/kernel-exchange.js';
import { passStages, type Stage, workStage } from './stage-path.js';

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
    controllerOf: () => assert.fail('no controller is looked up'),
  });
}

/** A stage's action, synchronous or later. */
interface Plan {
  readonly does: 'go on' | 'answer' | 'fail' | 'fail to set';
  readonly isLate: boolean;
}

const plan = fc.record<Plan>({
  does: fc.constantFrom('go on', 'go on', 'go on', 'answer', 'fail', 'fail to set'),
  isLate: fc.boolean(),
});

function stagesOf(plans: readonly Plan[], seen: number[]): Stage[] {
  return plans.map(({ does, isLate }, at) => {
    const act = (): number => {
      seen.push(at);
      if (does === 'fail') throw new Error(String(at));
      return at;
    };
    return workStage<number>(String(at), {
      isSkipped: ({ response, unanswered }) => response !== undefined || unanswered !== undefined,
      run: () => (isLate ? Promise.resolve().then(act) : act()),
      set(one, result) {
        if (does === 'fail to set') throw new Error(String(result));
        if (does === 'answer') one.response = HttpResponse.text(String(result));
      },
    });
  });
}

/** The stages that run, and the final result. */
function expected(plans: readonly Plan[]): { seen: number[]; body: string; error: string | undefined } {
  const end = plans.findIndex(({ does }) => does !== 'go on');
  const seen = plans.map((_, at) => at).slice(0, end === -1 ? plans.length : end + 1);
  const [does, name] = [plans[end]?.does ?? 'go on', String(end)];
  return {
    seen,
    body: does === 'answer' ? name : '',
    error: does.startsWith('fail') ? name : undefined,
  };
}

const end = ({ response }: KernelExchange): HttpResponse => response ?? new HttpResponse('');

describe('passStages', () => {
  it('runs the stages in order to the one that answers or fails, and returns a promise only if one of them does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { maxLength: 6 }), async (plans) => {
        const seen: number[] = [];
        const wanted = expected(plans);
        const one = exchange();
        const pending = passStages({ stages: stagesOf(plans, seen), end }, one);
        assert.equal(
          pending instanceof Promise,
          wanted.seen.some((at) => plans[at]?.isLate === true),
        );
        const { body } = await pending;
        const error = one.unanswered?.error;
        assert.deepEqual({ seen, body, error: error instanceof Error ? error.message : undefined }, wanted);
      }),
    );
  });
});
