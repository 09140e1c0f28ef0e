/** An error with a stable code (`HOUSE_PROBLEM`) and, where there is one, the sentence that says how to mend it. */
export class CodedError extends Error {
  /** Stable name of the problem, e.g. `ROUTING_DUPLICATE_NAME`. Tests and tools compare this, never the message. */
  readonly code: string;
  /** What the reader can do about it. */
  readonly fix: string | undefined;

  constructor(code: string, message: string, options: { fix?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fix = options.fix;
  }

  static {
    // On the prototype: an own property would be listed with the error's data wherever errors are printed.
    Object.defineProperty(this.prototype, 'name', {
      value: 'CodedError',
      configurable: true,
      writable: true,
    });
  }
}

/** True for errors made here. Reads nothing that a foreign object could have trapped. */
export function isCodedError(value: unknown): value is CodedError {
  try {
    return value instanceof CodedError;
  } catch {
    return false; // a Proxy whose getPrototypeOf trap throws
  }
}
