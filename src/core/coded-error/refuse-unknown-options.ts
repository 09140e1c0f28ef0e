import { defineErrorCodes, type ErrorCodes } from './coded-error.js';

/**
 * The names of all options of a type. The compiler refuses a declaration that lacks one, so that a new option cannot be
 * forgotten. An option that is an object, or a list of objects, may have its own names in place of `true`.
 */
export type OptionNames<Options> = {
  readonly [Name in NameOf<Options>]: true | OptionNames<ObjectOf<ValueOf<Options, Name>>>;
};

type NameOf<Options> = Options extends unknown ? Extract<keyof Options, string> : never;
type ValueOf<Options, Name> = Options extends unknown
  ? Name extends keyof Options
    ? Options[Name]
    : never
  : never;
type ObjectOf<Value> = Value extends readonly (infer Item)[]
  ? ObjectOf<Item>
  : Value extends object
    ? Value extends (...given: never[]) => unknown
      ? never
      : Value
    : never;

type Names = Readonly<Record<string, unknown>>;

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;
/** The names that are missing among the words, or too many. */
type Misnamed<Declared, Text extends string, Inner> =
  | Exclude<keyof Declared, Words<Text> | keyof Inner>
  | Exclude<Words<Text>, keyof Declared>;

/**
 * Declares option names, as words; those of options that are objects follow: `optionNames('origins maxAge', { cookie })`.
 * The compiler refuses a name that is missing or too many.
 */
export function optionNames<
  Declared extends object,
  const Text extends string,
  const Inner extends object = object,
>(
  words: [Misnamed<Declared, Text, Inner>] extends [never] ? Text : never,
  inner?: Inner & Partial<NoInfer<Declared>>,
): Declared {
  return namesOf(words, inner) as Declared; // the condition of `words` says that it has these names
}

function namesOf(words: string, inner?: object): Names {
  return { ...Object.fromEntries(words.split(' ').map((word) => [word, true])), ...inner };
}

const table = {
  OPTIONS_UNKNOWN: {
    message: '{place} has no option "{name}".{nearest}',
    fix: 'Correct or remove it. The options are: {known}.',
  },
  OPTIONS_VALUE: {
    message: 'The {name} of {place} is {given}.',
    fix: 'It takes {takes}.',
  },
  OPTIONS_NOT_AN_OBJECT: {
    message: 'The options of {place} must be an object, but {given} was passed.',
    fix: 'Pass an object with any of these: {known}.',
  },
} as const;

export const optionErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/**
 * Refuses options with a name that the function does not have: a misspelt option would otherwise be ignored, and might
 * leave open what it should close. For functions that are called once, at the creation of something, not per request.
 * `place` names the function in the message, e.g. `cors()`. The names follow as words, those of options that are objects
 * after them, as for `optionNames`: `refuseUnknownOptions('cors()', options, 'origins maxAge', { cookie })`.
 * @throws OPTIONS_UNKNOWN with the nearest names, OPTIONS_NOT_AN_OBJECT
 */
export function refuseUnknownOptions<Options, const Text extends string, const Inner extends object = object>(
  location: string,
  options: Options | undefined,
  words: [Misnamed<OptionNames<NonNullable<Options>>, Text, Inner>] extends [never] ? Text : never,
  inner?: Inner,
): void;
/** The same for names that several functions share. */
export function refuseUnknownOptions<Options>(
  location: string,
  options: Options | undefined,
  names: OptionNames<NonNullable<Options>>,
): void;
export function refuseUnknownOptions(
  location: string,
  options: object | null | undefined,
  names: string | Names,
  inner?: object,
): void {
  if (options === undefined) return;
  refuseUnknown(location, options, typeof names === 'string' ? namesOf(names, inner) : names);
}

function refuseUnknown(location: string, options: unknown, names: Names): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const given = options === null ? 'null' : Array.isArray(options) ? 'a list' : `a ${typeof options}`;
    throw optionErrors.create('OPTIONS_NOT_AN_OBJECT', { place: location, given, known: listOf(names) });
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(names, name)) {
      const near = findNearest(name, Object.keys(names));
      const nearest = near.length === 0 ? '' : ` Did you mean "${near.join('" or "')}"?`;
      throw optionErrors.create('OPTIONS_UNKNOWN', { place: location, name, nearest, known: listOf(names) });
    }
    const inner = names[name];
    if (typeof inner !== 'object') continue;
    // `true` or a function may stand for options; a text or a number never does, and would silently change nothing.
    if (value === null || ['string', 'number', 'bigint'].includes(typeof value))
      refuseUnknown(`${location}: ${name}`, value, inner as Names); // as: OptionNames nest
    for (const [at, part] of (Array.isArray(value) ? value : [value]).entries()) {
      const where = `${location}: ${name}${Array.isArray(value) ? `[${at}]` : ''}`;
      if (typeof part === 'object' && part !== null) refuseUnknown(where, part, inner as Names); // as: OptionNames nest
    }
  }
}

function listOf(names: Names): string {
  return Object.keys(names).join(', ');
}

/** Returns at most three names similar to the given one, the nearest first. Names that differ by more than a third are skipped. */
export function findNearest(wanted: string, names: readonly string[]): string[] {
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  return names
    .map((name) => ({ name, distance: editDistance(wanted, name, limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

/**
 * Returns the edit distance of two texts: the number of insertions, deletions, substitutions and swaps of neighbours.
 * Returns `limit + 1` if it exceeds `limit`, and for different texts of which one is longer than 128 characters.
 */
export function editDistance(from: string, to: string, limit: number): number {
  if (from === to) return 0;
  if (Math.abs(from.length - to.length) > limit || from.length > 128 || to.length > 128) return limit + 1;
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const changed = at(row, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swaps = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = swaps ? at(before, j - 2) + 1 : Infinity;
      next.push(Math.min(changed, swapped, at(row, j) + 1, at(next, j - 1) + 1));
    }
    if (Math.min(...next) > limit) return limit + 1;
    [before, row] = [row, next];
  }
  return Math.min(at(row, to.length), limit + 1);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
