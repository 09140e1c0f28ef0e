/**
 * Sets the name of the errors of a class. The name is set on the prototype, because an own property would be printed with
 * the data of each error.
 */
export function nameErrors(errorClass: { readonly prototype: Error }, name: string): void {
  Object.defineProperty(errorClass.prototype, 'name', { value: name, configurable: true, writable: true });
}

/** An error with a stable code (`HOUSE_PROBLEM`) and, if there is one, a sentence that explains the fix. */
export class CodedError extends Error {
  /** Stable name of the problem, e.g. `ROUTING_DUPLICATE_NAME`. Tests and tools compare this, never the message. */
  readonly code: string;
  /** Sentence that explains how to solve the problem. */
  readonly fix: string | undefined;

  constructor(code: string, message: string, options: { fix?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fix = options.fix;
  }

  static {
    nameErrors(this, 'CodedError');
  }
}

/** Returns whether a value is a `CodedError`. Never throws, not even for a Proxy. */
export function isCodedError(value: unknown): value is CodedError {
  try {
    return value instanceof CodedError;
  } catch {
    return false; // a Proxy whose getPrototypeOf trap throws
  }
}
