import type { StandardSchema } from '#controller';

/** The options of every variable. */
export interface VariableOptions<Value> {
  /** The value of a variable that is not set. */
  readonly default?: Value;
  /** It may be left out; its value is undefined then. */
  readonly optional?: boolean;
  /** Its value is never shown, even if its name does not look like a secret. */
  readonly secret?: boolean;
}

/** A schema for the text of one variable. */
export interface VariableSchema<Output> extends StandardSchema<Output, string | undefined> {
  /** What the variable takes, in words. */
  readonly takes: string;
  readonly isSecret: boolean;
}

type Absent<Options> = Options extends { readonly optional: true } ? undefined : never;

interface Form<Value> {
  readonly takes: string;
  /** Undefined for text that does not fit. */
  readonly parse: (text: string) => Value | undefined;
}

function variable<Value, Output>(
  { takes, parse }: Form<Value>,
  options: VariableOptions<Value>,
): VariableSchema<Output> {
  const refused = { issues: [{ message: `Accepted: ${takes}.` }] };
  const accepted = (value: Value | undefined): { readonly value: Output } => ({ value: value as Output }); // undefined only where `optional` says so
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

/** Any text that is not empty, or only what the (linear, anchored) pattern matches. */
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
  /** Fewest characters. Default 1. */
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

/** Yes or no, in any of the usual words. */
export function flag<const Options extends VariableOptions<boolean>>(
  options?: Options,
): VariableSchema<boolean | Absent<Options>> {
  const parse = (given: string): boolean | undefined => {
    const word = given.toLowerCase();
    return trueWords.has(word) ? true : falseWords.has(word) ? false : undefined;
  };
  return variable({ takes: '1, true, yes or on; 0, false, no or off', parse }, options ?? {});
}

/** An absolute URL, kept as text; of these schemes only, where some are named: `url({ schemes: ['postgres'] })`. */
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

/** Texts separated by commas, without the space around them. */
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
