import { CodedError } from './coded-error.js';

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

/** An error table and the factory of its errors. */
export interface ErrorCodes<Table extends Record<string, ErrorTemplate>> {
  /** The table itself, for documentation and guard tests. */
  readonly table: Table;
  /**
   * Creates the error with this code. `values` must have every placeholder of its texts; strings are inserted unchanged.
   */
  create<Code extends keyof Table & string>(
    code: Code,
    values: TemplateValues<Table[Code]>,
    options?: { cause?: unknown },
  ): CodedError;
}

/**
 * Declares the errors of one house in a table from code to message and fix. The compiler checks at every `create` that
 * all `{name}` placeholders have values.
 */
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
