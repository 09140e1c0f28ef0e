import assert from 'node:assert/strict';
import { findingsOf } from '#profiler';
import { renderRecord } from './render-record.js';
import type { TestResponse } from './test-response.js';

/**
 * A request under way. `await` gives the response; each expectation gives the call again, so that they can be chained
 * and awaited once. The error of one that fails ends with the record of the request, as Markdown.
 */
export class TestCall implements PromiseLike<TestResponse> {
  readonly #response: Promise<TestResponse>;

  constructor(response: Promise<TestResponse>) {
    this.#response = response;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it stands for the promise of its response
  then<Result = TestResponse, Failure = never>(
    onFulfilled?: ((response: TestResponse) => Result | PromiseLike<Result>) | null,
    onRejected?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.#response.then(onFulfilled, onRejected);
  }

  /** Runs assertions of any library on the response. */
  expect(check: (response: TestResponse) => unknown): TestCall {
    return new TestCall(
      this.#response.then(async (response) => {
        try {
          await check(response);
        } catch (error) {
          throw await withRecord(error, response);
        }
        return response;
      }),
    );
  }

  expectStatus(status: number): TestCall {
    return this.expect((response) =>
      assert.equal(response.status, status, `Status ${response.status}, expected ${status}`),
    );
  }

  /** The body is JSON and deeply equal to the value. */
  expectJson(value: unknown): TestCall {
    return this.expect((response) => assert.deepEqual(response.json(), value));
  }

  /** The request needed no more than the budget of its route (`createApp({ profiler: { budgets } })`). */
  expectWithinBudget(): TestCall {
    return this.expect(async (response) => {
      const record = await response.record();
      assert.ok(record !== undefined, 'Nothing was recorded, so that no budget can be looked at');
      const over = findingsOf(record).filter(({ text }) => text.startsWith('Over budget'));
      assert.deepEqual(
        over.map(({ text }) => text),
        [],
      );
    });
  }

  /** The header is there with this value, or matches. */
  expectHeader(name: string, value: string | RegExp): TestCall {
    return this.expect(({ headers }) => {
      const found = headers.get(name) ?? undefined;
      if (typeof value === 'string')
        assert.equal(found, value, `${name}: ${found ?? '(absent)'}, expected ${value}`);
      else
        assert.match(
          found ?? '',
          value,
          `${name}: ${found ?? '(absent)'}, expected to match ${String(value)}`,
        );
    });
  }
}

/** The same error, with the record behind its message and in its stack, which is what runners print. */
async function withRecord(error: unknown, response: TestResponse): Promise<unknown> {
  const record = await response.record();
  if (!(error instanceof Error) || record === undefined) return error;
  const message = `${error.message}\n\n${renderRecord(record)}\n`;
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  Object.defineProperty(error, 'message', { value: message, configurable: true, writable: true });
  error.stack = [`${error.name}: ${message}`, ...frames].join('\n');
  return error;
}
