import type { StandardSchema } from '#controller';

/** Options that all variables have. */
export interface VariableOptions<Value> {
  /** Value to use if the variable is not set. */
  readonly default?: Value;
  /** True to allow that the variable is not set; its value is then undefined. */
  readonly optional?: boolean;
  /** True to never show the value, even if the name does not look like that of a secret. */
  readonly secret?: boolean;
}

/** A schema for the value of one variable. */
export interface VariableSchema<Output> extends StandardSchema<Output, string | undefined> {
  /** Description of the accepted values. */
  readonly takes: string;
  readonly isSecret: boolean;
}

type Absent<Options> = Options extends { readonly optional: true } ? undefined : never;

interface Form<Value> {
  readonly takes: string;
  /** Parses the text; returns undefined if it is invalid. */
  readonly parse: (text: string) => Value | undefined;
}

function variable<Value, Output>(
  { takes, parse }: Form<Value>,
  options: VariableOptions<Value>,
): VariableSchema<Output> {
  const refused = { issues: [{ message: `Accepted: ${takes}.` }] };
  const accepted = (value: Value | undefined): { readonly value: Output } => ({ value: value as Output }); // undefined only if `optional` is set
  return {
    takes,
    isSecret: options.secret === true,
    '~standard': {
      version: 1,
      vendor: 'lookback',
      validate(given) {
        if (given === undefined)
          return options.default !== undefined || options.optional === true
            ? accepted(options.default)
            : refused;
        const value = typeof given === 'string' ? parse(given) : undefined;
        return value === undefined ? refused : accepted(value);
      },
    },
  };
}

/** Any non-empty text, or text that matches `pattern`, which must be anchored and linear. */
export function text<const Options extends VariableOptions<string> & TextRule>(
  options?: Options,
): VariableSchema<string | Absent<Options>> {
  const { min = 1, pattern, ...rest }: VariableOptions<string> & TextRule = options ?? {};
  const length = min > 1 ? `text of at least ${min} characters` : 'text';
  const takes = pattern === undefined ? length : `${length} that matches ${String(pattern)}`;
  const fits = (given: string): boolean => given.length >= min && pattern?.test(given) !== false;
  return variable({ takes, parse: (given) => (fits(given) ? given : undefined) }, rest);
}

export interface TextRule {
  /** Minimum number of characters. Default 1. */
  readonly min?: number;
  readonly pattern?: RegExp;
}

export interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** A whole number in decimal digits, within the bounds. */
export function wholeNumber<const Options extends VariableOptions<number> & Range>(
  options?: Options,
): VariableSchema<number | Absent<Options>> {
  return numeric({ kind: 'a whole number', form: /^-?\d{1,15}$/ }, options ?? {});
}

/** A decimal number, within the bounds. */
export function number<const Options extends VariableOptions<number> & Range>(
  options?: Options,
): VariableSchema<number | Absent<Options>> {
  return numeric({ kind: 'a number', form: /^-?\d{1,15}(?:\.\d{1,15})?$/ }, options ?? {});
}

function numeric<Output>(
  { kind, form }: { readonly kind: string; readonly form: RegExp },
  { min = -Infinity, max = Infinity, ...options }: VariableOptions<number> & Range,
): VariableSchema<Output> {
  const from = min === -Infinity ? '' : ` from ${min}`;
  const to = max === Infinity ? '' : ` up to ${max}`;
  const parse = (given: string): number | undefined => {
    const value = form.test(given) ? Number(given) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
  return variable({ takes: `${kind}${from}${to}`, parse }, options);
}

const trueWords: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'on']);
const falseWords: ReadonlySet<string> = new Set(['0', 'false', 'no', 'off']);

/** A boolean: `1`, `true`, `yes`, `on` or `0`, `false`, `no`, `off`; case-insensitive. */
export function flag<const Options extends VariableOptions<boolean>>(
  options?: Options,
): VariableSchema<boolean | Absent<Options>> {
  const parse = (given: string): boolean | undefined => {
    const word = given.toLowerCase();
    return trueWords.has(word) ? true : falseWords.has(word) ? false : undefined;
  };
  return variable({ takes: '1, true, yes or on; 0, false, no or off', parse }, options ?? {});
}

/** An absolute URL as a string, optionally restricted to some schemes: `url({ schemes: ['postgres'] })`. */
export function url<const Options extends VariableOptions<string> & { readonly schemes?: readonly string[] }>(
  options?: Options,
): VariableSchema<string | Absent<Options>> {
  const { schemes, ...rest }: VariableOptions<string> & { readonly schemes?: readonly string[] } =
    options ?? {};
  const parse = (given: string): string | undefined => {
    if (!URL.canParse(given)) return undefined;
    const scheme = new URL(given).protocol.slice(0, -1);
    return schemes === undefined || schemes.includes(scheme) ? given : undefined;
  };
  const takes =
    schemes === undefined ? 'an absolute URL' : `a URL of ${schemes.map((one) => `${one}:`).join(' or ')}`;
  return variable({ takes, parse }, rest);
}

/** One of these words. */
export function choice<const Word extends string, const Options extends VariableOptions<NoInfer<Word>>>(
  words: readonly Word[],
  options?: Options,
): VariableSchema<Word | Absent<Options>> {
  return variable(
    { takes: `one of ${words.join(', ')}`, parse: (given) => words.find((word) => word === given) },
    options ?? {},
  );
}

/** A list of texts separated by commas; spaces around them are removed. */
export function list<const Options extends VariableOptions<readonly string[]>>(
  options?: Options,
): VariableSchema<readonly string[] | Absent<Options>> {
  const parse = (given: string): readonly string[] =>
    given
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  return variable({ takes: 'values separated by commas', parse }, options ?? {});
}
