import { CodedError } from './coded-error.js';

/** A row of a house's table: texts with `{placeholders}`. */
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

/** The factory created from one table. */
export interface ErrorCodes<Table extends Record<string, ErrorTemplate>> {
  /** The table itself, for documentation and guard tests. */
  readonly table: Table;
  /** Creates the error of a code; pass every placeholder of its texts. Strings are inserted unchanged. */
  create<Code extends keyof Table & string>(
    code: Code,
    values: TemplateValues<Table[Code]>,
    options?: { cause?: unknown },
  ): CodedError;
}

/**
 * Declares the errors of one house in one table: code → message and fix, with `{name}` placeholders that are
 * checked by the compiler at every `create`.
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
    Error.captureStackTrace(error, create); // errors are shown and counted by the place of their first frame
    return error;
  };
  return { table, create };
}

function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}
