import { type OptionNames, refuseUnknownOptions, optionNames } from '#coded-error';
import type { StandardSchema } from '#controller';
import { createRedactor, redactedMark } from '#dump';
import { configurationErrors } from './error-codes.js';

/** Options that all variables have. */
export interface VariableOptions<Value> {
  /** Value to use if the variable is not set. */
  readonly default?: Value;
  /** True to allow that the variable is not set; its value is then undefined. */
  readonly optional?: boolean;
  /** True to never show the value, even if the name does not look like that of a secret. */
  readonly secret?: boolean;
}

const variableOptionNames: OptionNames<VariableOptions<unknown>> = optionNames('default optional secret');

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
  refuseUnknownOptions<VariableOptions<string> & TextRule>('text()', options, textOptionNames);
  const { min = 1, pattern, ...rest }: VariableOptions<string> & TextRule = options ?? {};
  const length = min > 1 ? `text of at least ${min} characters` : 'text';
  const takes = pattern === undefined ? length : `${length} that matches ${String(pattern)}`;
  const fits = (given: string): boolean => given.length >= min && pattern?.test(given) !== false;
  return variable({ takes, parse: (given) => (fits(given) ? given : undefined) }, rest);
}

interface TextRule {
  /** Minimum number of characters. Default 1. */
  readonly min?: number;
  readonly pattern?: RegExp;
}

interface Range {
  readonly min?: number;
  readonly max?: number;
}

const textOptionNames: OptionNames<VariableOptions<unknown> & TextRule> = optionNames('min pattern', {
  ...variableOptionNames,
});
const numberOptionNames: OptionNames<VariableOptions<unknown> & Range> = optionNames('min max', {
  ...variableOptionNames,
});

/** A whole number in decimal digits, within the bounds. */
export function wholeNumber<const Options extends VariableOptions<number> & Range>(
  options?: Options,
): VariableSchema<number | Absent<Options>> {
  refuseUnknownOptions<VariableOptions<number> & Range>('wholeNumber()', options, numberOptionNames);
  const { min = -Infinity, max = Infinity, ...rest }: VariableOptions<number> & Range = options ?? {};
  const from = min === -Infinity ? '' : ` from ${min}`;
  const to = max === Infinity ? '' : ` up to ${max}`;
  const parse = (given: string): number | undefined => {
    const value = /^-?\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
  return variable({ takes: `a whole number${from}${to}`, parse }, rest);
}

const trueWords: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'on']);
const falseWords: ReadonlySet<string> = new Set(['0', 'false', 'no', 'off']);

/** A boolean: `1`, `true`, `yes`, `on` or `0`, `false`, `no`, `off`; case-insensitive. */
export function flag<const Options extends VariableOptions<boolean>>(
  options?: Options,
): VariableSchema<boolean | Absent<Options>> {
  refuseUnknownOptions<VariableOptions<boolean>>('flag()', options, variableOptionNames);
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
  refuseUnknownOptions<VariableOptions<string> & { readonly schemes?: readonly string[] }>('url()', options, {
    ...variableOptionNames,
    schemes: true,
  });
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

/** Variables by name, each with a schema of this house or any other Standard Schema (Zod, Valibot, ArkType …). */
export type ConfigurationShape = Readonly<Record<string, StandardSchema>>;

/** The type of the values that a shape describes. */
export type ConfigurationOf<Shape extends ConfigurationShape> = {
  readonly [Name in keyof Shape]: Shape[Name] extends StandardSchema<infer Output> ? Output : never;
};

/** Maximum number of characters of a value that are shown. */
const maxValueLength = 100;
const redactor = createRedactor();

/**
 * Reads the configuration of an application. An empty variable counts as not set. Throws `CONFIGURATION_INVALID` with
 * every invalid variable, its value (hidden if it is a secret) and the values it accepts.
 */
export function defineConfiguration<const Shape extends ConfigurationShape>(
  shape: Shape,
  { variables = process.env }: { readonly variables?: Readonly<Record<string, string | undefined>> } = {},
): ConfigurationOf<Shape> {
  const values: [string, unknown][] = [];
  const problems: string[] = [];
  for (const [name, schema] of Object.entries(shape)) {
    const given = variables[name]?.trim();
    const text = given === '' ? undefined : given;
    const result = schema['~standard'].validate(text);
    if (result instanceof Promise)
      throw configurationErrors.create('CONFIGURATION_ASYNC_SCHEMA', { variable: name });
    if (result.issues === undefined) values.push([name, result.value]);
    else problems.push(`  ${describe(name, text, { schema, issues: result.issues })}`);
  }
  if (problems.length > 0)
    throw configurationErrors.create('CONFIGURATION_INVALID', { problems: problems.join('\n') });
  return Object.freeze(Object.fromEntries(values)) as ConfigurationOf<Shape>; // each value is the output of its schema
}

interface Refusal {
  readonly schema: StandardSchema;
  readonly issues: readonly { readonly message: string }[];
}

function describe(name: string, value: string | undefined, { schema, issues }: Refusal): string {
  const why = issues.map(({ message }) => message).join(' ');
  if (value === undefined) return `${name} is not set. ${why}`;
  const isSecret = redactor.isSecretName(name) || ('isSecret' in schema && schema.isSecret === true);
  if (isSecret) return `${name} is ${redactedMark}. ${why.replaceAll(value, redactedMark)}`;
  // The message of a schema library may contain the value, which may be a URL with a password.
  const [safe, reason] = [redactor.url(redactor.text(value)), redactor.text(why)];
  return `${name} is "${safe.slice(0, maxValueLength)}${safe.length > maxValueLength ? '…' : ''}". ${reason}`;
}
