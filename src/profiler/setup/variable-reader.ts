import { defineErrorCodes, type ErrorCodes } from '#core/coded-error';
import type { AnyOption } from '#core/options';
import { flagOf, trimmedText, type Variables } from './environment.js';

export type { Variables } from './environment.js';

const table = {
  CONFIG_BAD_VALUE: { message: '{variable} is "{value}".', fix: 'Set {variable} to {takes}.' },
} as const;

export const recordingErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/** Reads environment variables, trimmed; an empty one is not set. Throws `CONFIG_BAD_VALUE` with the accepted values. */
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

  /** Reads a number, as the option type of the same setting takes it. */
  number(name: string, type: AnyOption): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
    if (type.check(value) === undefined) return value;
    throw this.refusal(name, text, type.takes);
  }

  /** Reads a list of texts, separated by commas, each of the type. */
  list(name: string, item: AnyOption): readonly string[] {
    const items = (this.text(name) ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '');
    for (const one of items)
      if (item.check(one) !== undefined)
        throw this.refusal(name, one, `${item.takes}; several are separated by commas`);
    return items;
  }

  refusal(variable: string, value: string, takes: string): Error {
    return recordingErrors.create('CONFIG_BAD_VALUE', { variable, value, takes });
  }
}
