import { optionErrors, refuseUnknownOptions, type OptionNames } from './refuse-unknown-options.js';

/** A kind of values that an option takes. */
export interface ValueKind {
  /** What follows "It takes": `a text`. */
  readonly takes: string;
  readonly has: (value: unknown) => boolean;
}

/** The kind of the values of each option of a type. The compiler refuses a declaration that lacks an option. */
export type OptionKinds<Options> = { readonly [Name in keyof OptionNames<Options>]: ValueKind };

/** A string, also an empty one. */
export const text: ValueKind = { takes: 'a text', has: (value) => typeof value === 'string' };
/** `true` or `false`, nothing that counts as one of them. */
export const flag: ValueKind = { takes: 'true or false', has: (value) => typeof value === 'boolean' };
/** A function or a class. */
export const callable: ValueKind = { takes: 'a function', has: (value) => typeof value === 'function' };
/** For values that are checked where they are used. */
export const anything: ValueKind = { takes: 'anything', has: () => true };

/** An object, of whatever class; no list. */
export const anObject: ValueKind = {
  takes: 'an object',
  has: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** A number between two ends; `Infinity` only if it is the upper one. */
export function numberFrom(
  least: number,
  {
    most = Number.MAX_SAFE_INTEGER,
    isWhole = false,
  }: { readonly most?: number; readonly isWhole?: boolean } = {},
): ValueKind {
  const end = most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`;
  return {
    takes: `a ${isWhole ? 'whole number' : 'number'}${least === -Infinity ? '' : ` from ${least}${end}`}`,
    has: (value) =>
      typeof value === 'number' && value >= least && value <= most && (!isWhole || Number.isInteger(value)),
  };
}

/** One of these values. */
export function oneOf(...values: readonly (string | number)[]): ValueKind {
  const shown = values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value)));
  return { takes: `one of ${shown.join(', ')}`, has: (value) => values.some((each) => each === value) };
}

/** A list whose elements are of one kind; it may be empty. */
export function listOf({ takes, has }: ValueKind): ValueKind {
  return { takes: `a list, each ${takes}`, has: (value) => Array.isArray(value) && value.every(has) };
}

/** A value of one kind or the other. */
export function eitherOf(one: ValueKind, other: ValueKind): ValueKind {
  return { takes: `${one.takes}, or ${other.takes}`, has: (value) => one.has(value) || other.has(value) };
}

/**
 * Refuses options with a name that the function does not have, and values of a wrong kind. For functions that are called
 * once for each request: it costs a look at each given option. An option without a value is not given.
 * @throws OPTIONS_UNKNOWN, OPTIONS_VALUE, OPTIONS_NOT_AN_OBJECT
 */
export function checkOptions<Options extends object>(
  location: string,
  options: Options | undefined,
  kinds: OptionKinds<Options>,
): void {
  if (options === undefined) return;
  if (!anObject.has(options)) refuseUnknownOptions(location, options, namesOf(kinds));
  const known: Readonly<Record<string, ValueKind | undefined>> = kinds;
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const kind = Object.hasOwn(known, name) ? known[name] : undefined;
    if (kind === undefined) refuseUnknownOptions(location, options, namesOf(kinds));
    else if (!kind.has(value))
      throw optionErrors.create('OPTIONS_VALUE', {
        place: location,
        name,
        given: shown(value),
        takes: kind.takes,
      });
  }
}

/** The same for a value that is no option but an argument. */
export function checkValue(location: string, name: string, value: unknown, kind: ValueKind): void {
  if (!kind.has(value))
    throw optionErrors.create('OPTIONS_VALUE', {
      place: location,
      name,
      given: shown(value),
      takes: kind.takes,
    });
}

function namesOf<Options>(kinds: OptionKinds<Options>): OptionNames<Options> {
  return Object.fromEntries(Object.keys(kinds).map((name) => [name, true])) as OptionNames<Options>; // of the same names
}

/** Says what a value is, without what it holds: it may be a secret, or have getters. */
function shown(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty text' : `the text "${value.slice(0, 60)}"`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
