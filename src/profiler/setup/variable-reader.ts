import { defineErrorCodes, type ErrorCodes } from '#core/coded-error';
import { type AnyOption, flag, type OptionType } from '#core/options';
import { flagOf, trimmedText, type Variables } from './environment.js';

export type { Variables } from './environment.js';

const table = {
  CONFIG_BAD_VALUE: { message: '{variable} is "{value}".', fix: 'Set {variable} to {takes}.' },
} as const;

export const recordingErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/**
 * Reads environment variables, trimmed; empty ones count as unset. Throws `CONFIG_BAD_VALUE` with the accepted values.
 */
export class VariableReader {
  readonly #variables: Variables;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  /** Reads a text. `shown` converts it for error messages. */
  text<Value extends string>(
    type: OptionType<Value>,
    shown: (text: string) => string = (text) => text,
  ): Value | undefined {
    const text = this.#textOf(type);
    if (text === undefined || type.check(text) === undefined) return text as Value | undefined; // checked
    throw refusal(type, shown(text));
  }

  flag(type: OptionType<boolean>): boolean | undefined {
    const value = flagOf(this.#variables, variableOf(type));
    if (value === null) throw refusal(type, this.#textOf(type) ?? '');
    return value;
  }

  number(type: OptionType<number>): number | undefined {
    const text = this.#textOf(type);
    if (text === undefined) return undefined;
    const value = /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
    if (type.check(value) === undefined) return value;
    throw refusal(type, text);
  }

  /** Reads a comma-separated list of texts; undefined if empty. */
  list(type: OptionType<readonly string[]>): readonly string[] | undefined {
    const items = (this.#textOf(type) ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '');
    const wrong = items.find((one) => type.check([one]) !== undefined);
    if (wrong !== undefined) throw refusal(type, wrong);
    return items.length === 0 ? undefined : items;
  }

  #textOf(type: AnyOption): string | undefined {
    return trimmedText(this.#variables, variableOf(type));
  }
}

function variableOf({ variable }: AnyOption): string {
  if (variable === undefined) throw new TypeError('No environment variable sets this option.');
  return variable;
}

function refusal(type: AnyOption, value: string): Error {
  const takes = inVariable(type);
  return recordingErrors.create('CONFIG_BAD_VALUE', { variable: variableOf(type), value, takes });
}

/** Describes the values that a variable accepts: its option's values, given as text. */
export function inVariable({ takes, parts }: AnyOption): string {
  if (takes === flag.takes) return '1, true, yes or on; 0, false, no or off';
  const [part] = parts ?? [];
  return part?.[0] === '[]' ? `${part[1].takes}; several are separated by commas` : takes;
}
