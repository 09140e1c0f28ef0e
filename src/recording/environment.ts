import { defineErrorCodes, type ErrorCodes } from '#coded-error';

/** Environment variables, usually `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The environments; any other name is treated as production. */
export type Environment = 'dev' | 'test' | 'prod';

/**
 * Returns the environment: `APP_ENV`, otherwise `NODE_ENV`. If neither is set: `test` under the test runner of Node,
 * otherwise `dev`.
 */
export function environmentOf(variables: Variables): Environment {
  const name = trimmedText(variables, 'APP_ENV') ?? trimmedText(variables, 'NODE_ENV');
  if (name === undefined) return variables['NODE_TEST_CONTEXT'] === undefined ? 'dev' : 'test';
  if (name === 'test') return 'test';
  return name === 'dev' || (name === 'development' && !trimmedText(variables, 'APP_ENV')) ? 'dev' : 'prod';
}

/** Returns the boolean that a variable holds; undefined if it is not set, null if it is anything else. */
function flagOf(variables: Variables, name: string): boolean | null | undefined {
  const word = trimmedText(variables, name)?.toLowerCase();
  if (word === undefined) return undefined;
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  return ['0', 'false', 'no', 'off'].includes(word) ? false : null;
}

/**
 * Returns why the servers of a process are not watched: the variable that makes it production; empty if recording was
 * switched off (`LOOKBACK=off`, `PROFILER_STORE=off`); undefined if they are watched.
 */
export function whyNotRecorded(variables: Variables): string | undefined {
  const isAsked = flagOf(variables, 'LOOKBACK');
  if (isAsked === false || trimmedText(variables, 'PROFILER_STORE') === 'off') return '';
  if (isAsked === true || environmentOf(variables) !== 'prod') return undefined;
  const name = trimmedText(variables, 'APP_ENV') === undefined ? 'NODE_ENV' : 'APP_ENV';
  return `${name} is ${variables[name] ?? ''}`;
}

/** Returns the trimmed value of a variable; undefined if it is unset or empty. */
export function trimmedText(variables: Variables, name: string): string | undefined {
  const text = variables[name]?.trim();
  return text === '' ? undefined : text;
}

const table = {
  CONFIG_BAD_VALUE: { message: '{variable} is "{value}".', fix: 'Set {variable} to {takes}.' },
} as const;

/** Errors in the values of environment variables. */
export const recordingErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/**
 * Reads environment variables. Spaces around a value are removed, and an empty variable counts as not set. An invalid
 * value throws `CONFIG_BAD_VALUE` with the name of the variable and the accepted values.
 */
export class VariableReader {
  readonly #variables: Variables;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  text(name: string): string | undefined {
    return trimmedText(this.#variables, name);
  }

  flag(name: string): boolean | undefined {
    const value = flagOf(this.#variables, name);
    if (value === null)
      throw this.refusal(name, this.text(name) ?? '', '1, true, yes or on; 0, false, no or off');
    return value;
  }

  wholeNumber(
    name: string,
    { fallback, min, max }: { readonly fallback: number; readonly min: number; readonly max: number },
  ): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw this.refusal(name, text, `a whole number from ${min} to ${max}`);
  }

  /** Reads a list that is separated by commas. */
  list(
    name: string,
    { valid, takes }: { readonly valid: (item: string) => boolean; readonly takes: string },
  ): readonly string[] {
    const items = (this.text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
    for (const item of items) if (!valid(item)) throw this.refusal(name, item, takes);
    return items;
  }

  /** Returns the error for an invalid value. */
  refusal(variable: string, value: string, takes: string): Error {
    return recordingErrors.create('CONFIG_BAD_VALUE', { variable, value, takes });
  }
}
