import { types } from 'node:util';
import { safely } from '#core/coded-error';

/** Why a value was refused: its path below the checked value, and a description. */
export interface Issue {
  /** Names and indexes that lead to the value; empty for the checked value itself. */
  readonly path: readonly (string | number)[];
  /** Describes the value, without secrets: `"10"`, `a list`. */
  readonly given: string;
  /** The text after "It takes": `a number of at least 0`. */
  readonly takes: string;
  /** All names of an object that has no option with the path's last name. */
  readonly known?: readonly string[];
  /** The error that a getter or a proxy threw instead of returning the value. */
  readonly cause?: unknown;
}

/** Describes the values that an option accepts. */
export interface AnyOption {
  /** The text after "It takes": `a number of at least 0`. */
  readonly takes: string;
  /** Returns a value's first issue. Never called with `undefined`, which counts as a missing option. */
  readonly check: (value: unknown) => Issue | undefined;
  /** Copies a checked value made of options, so that it cannot change later. If absent, the value itself is used. */
  readonly copy?: (value: unknown) => unknown;
  /** Whether messages hide the value. */
  readonly isSecret?: boolean;
  /** The types of an object's options, of a list's items, or the alternatives: for documentation and tests. */
  readonly parts?: readonly (readonly [name: string, type: AnyOption])[];
  /** Whether the option must be given. */
  readonly isRequired?: true;
  /** The environment variable that sets the option if it is not given. */
  readonly variable?: string;
  /** Describes the default, if it depends on other settings. */
  readonly otherwise?: string;
}

/**
 * Describes the values that an option accepts. `Value` is its public type, which the compiler compares with the
 * option's type.
 */
export interface OptionType<Value> extends AnyOption {
  /** Never set: it makes `OptionType<string>` and `OptionType<string | number>` different types. */
  readonly '~value'?: (value: Value) => Value;
}

/** The type of an option that must be given. */
export interface RequiredOption<Value> extends OptionType<Value> {
  readonly isRequired: true;
}

/** Creates a type from a predicate. */
export function optionType<Value>(takes: string, accepts: (value: unknown) => boolean): OptionType<Value> {
  return { takes, check: (value) => (accepts(value) ? undefined : issueOf(value, takes)) };
}

/** Copies a checked value. */
export function copyOf(value: unknown, type: AnyOption): unknown {
  return value === undefined || type.copy === undefined ? value : type.copy(value);
}

/** Describes a value that is not accepted. */
export function issueOf(value: unknown, takes: string): Issue {
  return { path: [], given: inWords(value), takes };
}

/** Prepends a name or an index to an issue's path. */
export function issueAt(at: string | number, issue: Issue): Issue {
  return { ...issue, path: [at, ...issue.path] };
}

/** The type of an option that an environment variable can set. */
export type VariableOption<Value> = OptionType<Value> & { readonly variable: string };

/** Sets an option's environment variable, and a description of its default if it depends on other settings. */
export function fromVariable<Value>(
  variable: string,
  type: OptionType<Value>,
  otherwise?: string,
): VariableOption<Value> {
  return { ...type, variable, ...(otherwise === undefined ? {} : { otherwise }) };
}

/** Marks an option that must be given. */
export function required<Value>(type: OptionType<Value>): RequiredOption<Value> {
  return { ...type, isRequired: true };
}

/** Hides an option's value in messages. */
export function secret<Value>(type: OptionType<Value>): OptionType<Value> {
  const given = 'a secret (not shown)';
  return {
    ...type,
    isSecret: true,
    check(value) {
      const issue = type.check(value);
      return issue !== undefined && typeof value === 'string' ? { ...issue, given } : issue;
    },
  };
}

/** Replaces a type's description. */
export function describedAs<Value>(takes: string, type: OptionType<Value>): OptionType<Value> {
  return {
    ...type,
    takes,
    check(value) {
      const issue = type.check(value);
      return issue === undefined || issue.path.length > 0 ? issue : { ...issue, takes };
    },
  };
}

/** A string, including the empty one. */
export const text: OptionType<string> = optionType('a string', (value) => typeof value === 'string');
/** A non-empty string. */
export const filledText: OptionType<string> = optionType(
  'a non-empty string',
  (value) => typeof value === 'string' && value !== '',
);
/** `true` or `false`. */
export const flag: OptionType<boolean> = optionType('true or false', (value) => typeof value === 'boolean');
/** A valid date, from any realm. */
export const date: OptionType<Date> = optionType(
  'a Date with a valid time',
  (value) => types.isDate(value) && !Number.isNaN(Date.prototype.getTime.call(value)),
);

/** A regular expression, from any realm. */
export const regularExpression: OptionType<RegExp> = optionType('a regular expression', (value) =>
  types.isRegExp(value),
);

/** A string accepted by a check. */
export function textWith(takes: string, accepts: (value: string) => boolean): OptionType<string> {
  return optionType(takes, (value) => typeof value === 'string' && accepts(value));
}

/** A function or a class. */
export function callable<Value>(): OptionType<Value> {
  return optionType('a function', (value) => typeof value === 'function');
}

/** A value that is checked by the code that uses it. */
export function anything<Value>(): OptionType<Value> {
  return optionType('any value', () => true);
}

/** An object that is not a list, of any class. */
export function anObject<Value>(takes = 'an object'): OptionType<Value> {
  return optionType(takes, isObject);
}

/** An object with methods of these names, such as an implementation of an interface. */
export function objectWith<Value>(takes: string, ...methods: readonly string[]): OptionType<Value> {
  return optionType(
    takes,
    (value) => isObject(value) && methods.every((name) => typeof Reflect.get(value, name) === 'function'),
  );
}

interface Range {
  readonly min?: number;
  /** Exclusive lower bound, instead of `min`. */
  readonly above?: number;
  readonly max?: number;
  /** Whether `Infinity` turns the limit off. Default false: it is refused. */
  readonly orInfinity?: boolean;
  /** The unit, for messages and documentation: `bytes`. */
  readonly unit?: string;
}

/** A finite number. */
export function number(range: Range = {}): OptionType<number> {
  return numeric('number', range, Number.isFinite);
}

/** An integer. */
export function whole(range: Range = {}): OptionType<number> {
  return numeric('whole number', range, Number.isSafeInteger);
}

function numeric(
  name: string,
  { above, min = above ?? -Infinity, max = Infinity, orInfinity = false, unit }: Range,
  isNumber: (value: unknown) => boolean,
): OptionType<number> {
  const range = inWordsOfRange({ above, min, max });
  const takes = `${unit === undefined ? 'a' : `${unit}, as a`} ${name}${range}${orInfinity ? ', or Infinity' : ''}`;
  return optionType(
    takes,
    (value) =>
      (isNumber(value) && Number(value) >= min && value !== above && Number(value) <= max) ||
      (orInfinity && value === Infinity),
  );
}

function inWordsOfRange({
  above,
  min,
  max,
}: Required<Pick<Range, 'min' | 'max'>> & { readonly above: number | undefined }): string {
  if (min === -Infinity) return '';
  if (above !== undefined) return ` above ${above}${max === Infinity ? '' : `, up to ${max}`}`;
  return max === Infinity ? ` of at least ${min}` : ` from ${min} to ${max}`;
}

/** The longest duration of a Node timer: longer ones fire at once. */
const maxTimer = 2_147_483_647;

/** A timer's duration in milliseconds. */
export const milliseconds: OptionType<number> = number({ min: 0, max: maxTimer, unit: 'milliseconds' });

/** A timer's duration in seconds. */
export function seconds(min = 0): OptionType<number> {
  return number({ min, max: Math.floor(maxTimer / 1000), unit: 'seconds' });
}

/** A number of bytes. */
export function bytes(range: Omit<Range, 'unit'> = {}): OptionType<number> {
  return whole({ min: 0, ...range, unit: 'bytes' });
}

/** One of these values. */
export function oneOf<const Value extends string | number | boolean>(
  ...values: readonly Value[]
): OptionType<Value> {
  const takes = values.map((value) => JSON.stringify(value)).join(', ');
  return optionType(values.length === 1 ? takes : `one of ${takes}`, (value) =>
    values.some((each) => each === value),
  );
}

/** A list, possibly empty. */
export function listOf<Item>(item: OptionType<Item>, takes?: string): OptionType<readonly Item[]> {
  const said = takes ?? `a list, each ${item.takes}`;
  return {
    takes: said,
    parts: [['[]', item]],
    copy: (value) => (isList(value) ? value.map((part: unknown) => copyOf(part, item)) : value),
    check(value) {
      if (!isList(value)) return issueOf(value, said);
      for (let at = 0; at < value.length; at++) {
        const part: unknown = value[at];
        const issue = part === undefined ? issueOf(part, item.takes) : item.check(part);
        if (issue !== undefined) return issueAt(at, issue);
      }
      return undefined;
    },
  };
}

/** An object whose names the application chooses. */
export function namesTo<Value>(
  type: OptionType<Value>,
  takes: string = `an object, each value ${type.takes}`,
): OptionType<Readonly<Record<string, Value>>> {
  return {
    takes,
    parts: [['{}', type]],
    copy: (value) =>
      isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyOf(part, type)]))
        : value,
    check(value) {
      if (!isOptionsObject(value)) return issueOf(value, takes);
      return readingMembers(value, (name) => {
        const part: unknown = Reflect.get(value, name);
        const issue = part === undefined ? undefined : type.check(part);
        return issue === undefined ? undefined : issueAt(name, issue);
      });
    },
  };
}

/** Visits an object's names; errors thrown by getters become issues. */
function readingMembers(value: object, visit: (name: string) => Issue | undefined): Issue | undefined {
  let at: string | undefined;
  try {
    for (at of Object.keys(value)) {
      const issue = visit(at);
      if (issue !== undefined) return issue;
    }
    return undefined;
  } catch (cause) {
    return unreadable(at, cause);
  }
}

/** The issue for a value whose getter or proxy throws. */
export function unreadable(at: string | undefined, cause: unknown): Issue {
  return { path: at === undefined ? [] : [at], given: 'unreadable', takes: '', cause };
}

/** A value of either type. If an alternative is an object that contains an issue, that issue is returned. */
export function either<One, Other>(one: OptionType<One>, other: OptionType<Other>): OptionType<One | Other> {
  const takes = `${one.takes}, or ${other.takes}`;
  return {
    takes,
    parts: [
      ['|', one],
      ['|', other],
    ],
    copy: (value) => copyOf(value, one.check(value) === undefined ? one : other),
    check(value) {
      const first = one.check(value);
      if (first === undefined) return undefined;
      const second = other.check(value);
      if (second === undefined) return undefined;
      if (first.path.length === 0 && second.path.length === 0) return { ...first, takes };
      return first.path.length > second.path.length ? first : second;
    },
  };
}

/** Whether a value is an object but not a list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isList(value);
}

/** Whether a value is a list; false for a revoked proxy of one. */
function isList(value: unknown): value is readonly unknown[] {
  return safely(() => Array.isArray(value), false);
}

const maxShown = 60;

/**
 * Describes a value in a message: short values literally, others by their kind, because reading them may run foreign
 * code.
 */
export function inWords(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (value === null) return 'null';
  if (typeof value === 'string') {
    const shown = value.length > maxShown ? `${value.slice(0, maxShown)}…` : value;
    return JSON.stringify(shown);
  }
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value === 'boolean') return String(value);
  return kindInWords(value);
}

/** Describes the kind of a value. */
export function kindInWords(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'undefined') return 'undefined';
  if (typeof value !== 'object') return `a ${typeof value}`;
  if (types.isProxy(value)) return 'an object'; // `Array.isArray` throws for a revoked proxy
  if (Array.isArray(value)) return 'a list';
  if (types.isPromise(value)) return 'a Promise';
  if (types.isDate(value)) return 'a Date';
  if (types.isMap(value)) return 'a Map';
  if (types.isSet(value)) return 'a Set';
  return 'an object';
}

/** Whether a value can hold options: any object except those with internal data, whose options would be ignored. */
export function isOptionsObject(value: unknown): value is object {
  if (!isObject(value)) return false;
  return (
    isPlain(value) ||
    !(
      types.isMap(value) ||
      types.isSet(value) ||
      types.isPromise(value) ||
      types.isDate(value) ||
      types.isRegExp(value) ||
      types.isBoxedPrimitive(value) ||
      types.isNativeError(value) ||
      types.isAnyArrayBuffer(value) ||
      ArrayBuffer.isView(value)
    )
  );
}

/** Whether an object is a plain object, from any realm, or has no prototype. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || isRoot(prototype);
}

/** Whether an object is the `Object.prototype` of some realm. */
export function isRoot(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === null &&
    Object.hasOwn(value, 'hasOwnProperty')
  );
}
