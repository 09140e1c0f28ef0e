import type { ProfileRecord } from '#profiler';

/** A response whose body has been read. */
export class TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly #record: () => Promise<ProfileRecord | undefined>;

  constructor(
    { status, headers }: Pick<Response, 'status' | 'headers'>,
    bytes: Uint8Array,
    record: () => Promise<ProfileRecord | undefined>,
  ) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
    this.#record = record;
  }

  /** The body as UTF-8 text. */
  get text(): string {
    return new TextDecoder().decode(this.bytes);
  }

  /** The body parsed as JSON. The type is not checked. Throws a `SyntaxError` if it is not JSON. */
  json<Value = unknown>(): Value {
    return JSON.parse(this.text) as Value; // not checked, as documented
  }

  /** Returns the record of the request; undefined if it was not recorded. */
  record(): Promise<ProfileRecord | undefined> {
    return this.#record();
  }
}
