import { defineErrorCodes, type ErrorCodes } from '#core/coded-error';
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

  refusal(variable: string, value: string, takes: string): Error {
    return recordingErrors.create('CONFIG_BAD_VALUE', { variable, value, takes });
  }
}
