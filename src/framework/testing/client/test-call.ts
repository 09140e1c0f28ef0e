import assert from 'node:assert/strict';
import type { App } from '#framework/app';
import { findingsOf, type ProfileRecord, readPage } from '#profiler';

/** A response whose body has been read. */
export class TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly #profiler: App['profiler'];
  /** Its record's token; taken from the process, because clients that may not see debug output get no header with it. */
  readonly #token: string | undefined;

  constructor(
    {
      response: { status, headers },
      bytes,
      token,
    }: {
      readonly response: Pick<Response, 'status' | 'headers'>;
      readonly bytes: Uint8Array;
      readonly token?: string | undefined;
    },
    profiler: App['profiler'],
  ) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
    this.#token = token;
    this.#profiler = profiler;
  }

  /** The body as UTF-8 text. */
  get text(): string {
    return new TextDecoder().decode(this.bytes);
  }

  /** The body parsed as JSON. The type is not checked. Throws a `SyntaxError` if it is not JSON. */
  json<Value = unknown>(): Value {
    return JSON.parse(this.text) as Value; // not checked, as documented
  }

  /** Returns the request's record; undefined if it was not recorded. */
  async record(): Promise<ProfileRecord | undefined> {
    const found = await this.#profiler?.find(this.#token ?? '');
    return found?.kind === 'found' ? found.record : undefined;
  }

  /**
   * Returns the record's findings, exception, log and queries as Markdown, short enough for an error message; undefined if nothing was
   * recorded.
   */
  async describe(): Promise<string | undefined> {
    if (this.#profiler === undefined || this.#token === undefined) return undefined;
    const panel = 'exception,logs,db';
    const { status, text } = await readPage(this.#profiler, this.#token, { format: 'md', panel });
    if (status !== 200) return undefined;
    const more = text.length - maxLength;
    return more > 0 ? `${text.slice(0, maxLength)}\n… (${more} more characters)` : text;
  }
}

/**
 * A request in flight. Awaiting it returns the response. Each expectation returns a call, so that expectations can be
 * chained and awaited once. A failed expectation's error ends with the request's record as Markdown.
 */
export class TestCall implements PromiseLike<TestResponse> {
  readonly #response: Promise<TestResponse>;

  constructor(response: Promise<TestResponse>) {
    this.#response = response;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a call can be awaited like the promise of its response
  then<Result = TestResponse, Failure = never>(
    onFulfilled?: ((response: TestResponse) => Result | PromiseLike<Result>) | null,
    onRejected?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.#response.then(onFulfilled, onRejected);
  }

  /** Runs any library's assertions on the response. */
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

  /** Asserts that the body is JSON and deeply equal to the value. */
  expectJson(value: unknown): TestCall {
    return this.expect((response) => assert.deepEqual(response.json(), value));
  }

  /** Asserts that the request did not exceed its route's budget (`createApp({ profiler: { budgets } })`). */
  expectWithinBudget(): TestCall {
    return this.expect(async (response) => {
      const record = await response.record();
      assert.ok(record !== undefined, 'Nothing was recorded, so budgets cannot be checked');
      const over = findingsOf(record).filter(({ text }) => text.startsWith('Over budget'));
      assert.deepEqual(
        over.map(({ text }) => text),
        [],
      );
    });
  }

  /** Asserts that the header has this value, or matches the expression. */
  expectHeader(name: string, value: string | RegExp): TestCall {
    return this.expect(({ headers }) => {
      const found = headers.get(name);
      const expected = typeof value === 'string' ? value : `to match ${String(value)}`;
      const message = `${name}: ${found ?? '(absent)'}, expected ${expected}`;
      if (typeof value === 'string') assert.equal(found, value, message);
      else assert.match(found ?? '', value, message);
    });
  }
}

/** Appends the beginning of the record to an error's message and stack, because test runners print the stack. */
async function withRecord(error: unknown, response: TestResponse): Promise<unknown> {
  const record = await response.describe();
  if (!(error instanceof Error) || record === undefined) return error;
  const message = `${error.message}\n\n${shortened(record)}\n`;
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  Object.defineProperty(error, 'message', { value: message });
  error.stack = [`${error.name}: ${message}`, ...frames].join('\n');
  return error;
}

/** Shortens the record, so that the expected and actual values above it stay visible. */
function shortened(record: string): string {
  const lines = record.split('\n');
  const more = lines.length - maxLines;
  if (more <= 0) return record;
  return `${lines.slice(0, maxLines).join('\n')}\n… (${more} more lines: await response.describe())`;
}

const maxLines = 25;

/** Maximum number of characters in a rendered record; a longer one is truncated with a note. */
const maxLength = 6000;
