import { defineErrorCodes, type ErrorCodes } from './coded-error.js';

const table = {
  OPTIONS_BAD_VALUE: { message: 'The option {name} of {place} is {given}.', fix: 'It takes {takes}.' },
} as const;

export const valueErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/** What an option takes. */
export interface ValueCheck {
  /** In words, for the error: `a number of at least 0`. */
  readonly takes: string;
  readonly accepts: (value: unknown) => boolean;
  /** Whether errors must not show the value. */
  readonly isSecret?: true;
}

/** Checks by the names of options; options without one are not looked at. */
export type ValueChecks<Options> = { readonly [Name in keyof Options]?: ValueCheck };

/**
 * Refuses values that an option does not take: one that is no number would switch a limit off, since every comparison with
 * it is false. `undefined` stands for the default, and passes.
 * @throws OPTIONS_BAD_VALUE
 */
export function refuseBadValues<Options extends object>(
  location: string,
  options: Options | undefined,
  checks: ValueChecks<Options>,
): void {
  if (options === undefined) return;
  const given = new Map(Object.entries(options));
  for (const [name, check] of Object.entries<ValueCheck | undefined>(checks)) {
    const value: unknown = given.get(name);
    if (value === undefined || check === undefined || check.accepts(value)) continue;
    const shown = check.isSecret === true && typeof value === 'string' ? '[redacted]' : inWords(value);
    throw valueErrors.create('OPTIONS_BAD_VALUE', {
      place: location,
      name,
      given: shown,
      takes: check.takes,
    });
  }
}

/** Returns the defaults with the options that are set: `undefined` stands for the default. */
export function withDefaults<Options extends object>(
  defaults: Options,
  options: Partial<Options> | undefined,
): Options {
  const given = Object.entries(options ?? {}).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

/** Numbers from `min` to `max`; without `max` also `Infinity`, which means no limit. */
export function numberAtLeast(min: number, max: number = Number.POSITIVE_INFINITY): ValueCheck {
  return {
    takes:
      max === Number.POSITIVE_INFINITY ? `a number of at least ${min}` : `a number from ${min} to ${max}`,
    accepts: (value) => typeof value === 'number' && value >= min && value <= max,
  };
}

/** Milliseconds of a timer; Node fires one that is longer than about 24 days at once. */
export const milliseconds: ValueCheck = {
  ...numberAtLeast(0, 2_147_483_647),
  takes: 'milliseconds, as a number from 0 to 2147483647',
};

/** Takes a boolean. */
export const trueOrFalse: ValueCheck = {
  takes: 'true or false',
  accepts: (value) => typeof value === 'boolean',
};

/** Takes a list of texts. */
export const texts: ValueCheck = {
  takes: 'a list of texts',
  accepts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
};

/** Takes a function. */
export const anyFunction: ValueCheck = {
  takes: 'a function',
  accepts: (value) => typeof value === 'function',
};

/** Lists of objects whose members with these names are what the checks say. */
export function listWith(
  takes: string,
  members: Readonly<Record<string, (value: unknown) => boolean>>,
): ValueCheck {
  return {
    takes,
    accepts: (value) => Array.isArray(value) && value.every((one) => hasMembers(one, members)),
  };
}

function hasMembers(value: unknown, members: Readonly<Record<string, (value: unknown) => boolean>>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  // Read one by one: a member may stand on the prototype of a class.
  return Object.entries(members).every(([name, accepts]) => accepts(Reflect.get(value, name)));
}

const maxShown = 60;

/** A value in an error: what kind it is, and the value if that is short and no object. */
function inWords(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, maxShown));
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
