import { findNearest } from '#core/coded-error';
import {
  type AnyOption,
  copyOf,
  inWords,
  type Issue,
  issueAt,
  issueOf,
  isObject,
  isOptionsObject,
  isPlain,
  isRoot,
  type OptionType,
  type RequiredOption,
  unreadable,
} from './option-type.js';

/** The types of all options in an interface. The compiler refuses missing names, unknown names and wrong types. */
export type OptionTypes<Options> = {
  readonly [Name in keyof Options]-?: undefined extends Options[Name]
    ? OptionType<Exclude<Options[Name], undefined>>
    : RequiredOption<Options[Name]>;
};

/** A set of options: the only place that declares their values, next to the public interface. */
export interface OptionsSchema<Options, Defaulted extends keyof Options = never> extends OptionType<Options> {
  readonly types: OptionTypes<Options>;
  /** The values that `readOptions` fills in. */
  readonly defaults: Readonly<Required<Pick<Options, Defaulted>>>;
}

/** Rules for names that the schema does not list. */
export interface SchemaRules {
  /** Another name's type; undefined refuses it. */
  readonly others?: (name: string) => AnyOption | undefined;
  /**
   * Whether the object may have other members, as an implementation of an interface does. Then only names similar to an
   * option's are refused, and none on class instances.
   */
  readonly isOpen?: boolean;
  /** The text after "It takes" if the value is not an object. */
  readonly takes?: string;
}

/** Declares a set of options. */
export function optionsSchema<Options>(
  types: OptionTypes<Options>,
  rules: SchemaRules = {},
): OptionsSchema<Options> {
  return { ...schemaOf<Options>(types, rules), types, defaults: {} as OptionsSchema<Options>['defaults'] }; // without any names
}

/** Declares a set of options, some of which have a default. */
export function optionsWithDefaults<Options, Defaulted extends keyof Options>(
  types: OptionTypes<Options>,
  defaults: Readonly<Required<Pick<Options, Defaulted>>>,
  rules: SchemaRules = {},
): OptionsSchema<Options, Defaulted> {
  return { ...schemaOf<Options>(types, rules), types, defaults };
}

type Types = Readonly<Record<string, AnyOption>>;

function schemaOf<Options>(types: OptionTypes<Options>, rules: SchemaRules): OptionType<Options> {
  const known = types as Types; // its values are option types
  const names = Object.keys(known);
  const required = Object.entries(known).filter(([, { isRequired }]) => isRequired === true);
  const takes = rules.takes ?? `an object with any of these: ${names.join(', ')}`;
  return {
    takes,
    parts: Object.entries(known),
    ...(rules.isOpen === true ? {} : { copy: (value) => copyOptions(value, known, rules) }),
    check(value) {
      let at: string | undefined;
      try {
        if (!isOptionsObject(value)) return issueOf(value, takes);
        for (const name of namesOf(value)) {
          at = name;
          const issue = Object.hasOwn(known, name) ? undefined : checkOther(value, name, names, rules);
          if (issue !== undefined) return issueAt(name, issue);
        }
        for (const name of names) {
          at = name;
          const given: unknown = Reflect.get(value, name);
          const issue = given === undefined ? undefined : known[name]?.check(given);
          if (issue !== undefined) return issueAt(name, issue);
        }
        return missingIn(value, required);
      } catch (cause) {
        return unreadable(at, cause);
      }
    },
  };
}

/** Copies the given options, including those defined by getters. */
function copyOptions(value: unknown, known: Types, { others }: SchemaRules): unknown {
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  const further =
    others === undefined ? [] : Object.keys(value).filter((name) => !Object.hasOwn(known, name));
  for (const name of [...Object.keys(known), ...further]) {
    const given: unknown = Reflect.get(value, name);
    const type = Object.hasOwn(known, name) ? known[name] : undefined;
    if (given !== undefined) copy[name] = type === undefined ? given : copyOf(given, type);
  }
  return copy;
}

/** The issue for the first missing required option. */
function missingIn(
  value: object,
  required: readonly (readonly [name: string, type: AnyOption])[],
): Issue | undefined {
  for (const [name, { takes }] of required)
    if (Reflect.get(value, name) === undefined) return { path: [name], given: 'missing', takes };
  return undefined;
}

function checkOther(
  value: object,
  name: string,
  known: readonly string[],
  { others, isOpen = false }: SchemaRules,
): Issue | undefined {
  const given: unknown = Reflect.get(value, name);
  if (given === undefined) return undefined;
  const type = others?.(name);
  if (type !== undefined) return type.check(given);
  if (isOpen && (!isPlain(value) || findNearest(name, known).length === 0)) return undefined;
  return { path: [], given: inWords(given), takes: '', known };
}

/** The names of the options that an object provides, including getters on its class and its prototypes. */
function namesOf(value: object): readonly string[] {
  const own = Object.keys(value);
  return isPlain(value) ? own : [...own, ...inheritedNames(value)];
}

function* inheritedNames(value: object): Generator<string> {
  let prototype: unknown = Object.getPrototypeOf(value);
  while (typeof prototype === 'object' && prototype !== null && !isRoot(prototype)) {
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
      if (descriptor.get !== undefined || descriptor.enumerable === true) yield name;
    prototype = Object.getPrototypeOf(prototype);
  }
}
