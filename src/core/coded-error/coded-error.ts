/** Sets an error class's name on its prototype: an own property would be printed with each error's data. */
export function nameErrors(errorClass: { readonly prototype: Error }, name: string): void {
  Object.defineProperty(errorClass.prototype, 'name', { value: name, configurable: true, writable: true });
}

/** An error with a stable code (`MODULE_PROBLEM`) and, if available, a sentence that explains the fix. */
export class CodedError extends Error {
  /** Stable name of the problem, e.g. `ROUTING_DUPLICATE_NAME`. Tests and tools compare this, never the message. */
  readonly code: string;
  /** Sentence that explains how to solve the problem. */
  declare readonly fix: string | undefined;

  constructor(code: string, message: string, options: { fix?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.fix !== undefined) this.fix = options.fix;
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

/** One row of an error table: texts with `{placeholders}`. */
export interface ErrorTemplate {
  readonly message: string;
  readonly fix?: string;
}

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

type TemplateValues<Template extends ErrorTemplate> = {
  readonly [
    Name in
      | Placeholders<Template['message']>
      | (Template['fix'] extends string ? Placeholders<Template['fix']> : never)
  ]: string | number;
};

/** An error table and the factory for its errors. */
export interface ErrorCodes<Table extends Record<string, ErrorTemplate>> {
  /** The table itself, for documentation and guard tests. */
  readonly table: Table;
  /** Creates the error with this code. `values` must contain every placeholder in its texts; strings are inserted unchanged. */
  create<Code extends keyof Table & string>(
    code: Code,
    values: TemplateValues<Table[Code]>,
    options?: { cause?: unknown },
  ): CodedError;
}

/** Declares one module's errors: code → message and fix. The compiler checks the `{name}` placeholders at `create`. */
export function defineErrorCodes<const Table extends Record<string, ErrorTemplate>>(
  table: Table,
): ErrorCodes<Table> {
  const create: ErrorCodes<Table>['create'] = (code, values, options = {}) => {
    const template: ErrorTemplate = table[code] ?? { message: code };
    const { message, fix } = template;
    const error = new CodedError(code, fill(message, values), {
      fix: fix === undefined ? undefined : fill(fix, values),
      cause: options.cause,
    });
    Error.captureStackTrace(error, create); // errors are displayed and grouped by their first stack frame
    return error;
  };
  return { table, create };
}

function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}
