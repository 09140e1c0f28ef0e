import { defineErrorCodes, type ErrorCodes } from './define-error-codes.js';
import { findNearest } from './find-nearest.js';

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

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;
type Lacking<Names, Text extends string, Inner> = Exclude<keyof Names, Words<Text> | keyof Inner>;
type Surplus<Names, Text extends string> = Exclude<Words<Text>, keyof Names>;

/**
 * Declares option names, as words; those of options that are objects follow: `optionNames('origins maxAge', { cookie })`.
 * The compiler refuses a name that is missing or too many.
 */
export function optionNames<
  Declared extends object,
  const Text extends string,
  const Inner extends object = object,
>(
  words: [Lacking<Declared, Text, Inner> | Surplus<Declared, Text>] extends [never] ? Text : never,
  inner?: Inner,
): Declared {
  const named = words.split(' ').map((word) => [word, true] as const);
  return { ...Object.fromEntries(named), ...inner } as Declared; // the condition of `words` says that it has these names
}

type Names = Readonly<Record<string, unknown>>;

const table = {
  OPTIONS_UNKNOWN: {
    message: '{place} has no option "{name}".{nearest}',
    fix: 'Correct or remove it. The options are: {known}.',
  },
  OPTIONS_NOT_AN_OBJECT: {
    message: 'The options of {place} must be an object, but {given} was passed.',
    fix: 'Pass an object with any of these: {known}.',
  },
} as const;

/** The errors of options that a function does not have. */
export const optionErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/**
 * Refuses options with a name that the function does not have: a misspelt option would otherwise be ignored, and might
 * leave open what it should close. For functions that are called once, at the creation of something, not per request.
 * `place` names the function in the message, e.g. `cors()`.
 * @throws OPTIONS_UNKNOWN with the nearest names, OPTIONS_NOT_AN_OBJECT
 */
export function refuseUnknownOptions<Options>(
  place: string,
  options: Options | undefined,
  names: OptionNames<NonNullable<Options>>,
): void {
  if (options !== undefined) refuseUnknown(place, options, names);
}

function refuseUnknown(place: string, options: unknown, names: Names): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const given = options === null ? 'null' : Array.isArray(options) ? 'a list' : `a ${typeof options}`;
    throw optionErrors.create('OPTIONS_NOT_AN_OBJECT', { place, given, known: listOf(names) });
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(names, name)) {
      const near = findNearest(name, Object.keys(names));
      const nearest = near.length === 0 ? '' : ` Did you mean "${near.join('" or "')}"?`;
      throw optionErrors.create('OPTIONS_UNKNOWN', { place, name, nearest, known: listOf(names) });
    }
    const inner = names[name];
    if (typeof inner !== 'object') continue;
    for (const [at, part] of (Array.isArray(value) ? value : [value]).entries()) {
      const where = `${place}: ${name}${Array.isArray(value) ? `[${at}]` : ''}`;
      if (typeof part === 'object' && part !== null) refuseUnknown(where, part, inner as Names); // as: OptionNames nest
    }
  }
}

function listOf(names: Names): string {
  return Object.keys(names).join(', ');
}
