import { type CodedError, defineErrorCodes, type ErrorCodes, findNearest } from '#core/coded-error';
import { type AnyOption, copyOf, type Issue, kindInWords, unreadable } from './option-type.js';
import type { OptionsSchema } from './options-schema.js';

const table = {
  OPTIONS_UNKNOWN: {
    message: '{location} has no option "{name}".{nearest}',
    fix: 'Correct or remove it. Valid options: {known}.',
  },
  OPTIONS_BAD_VALUE: { message: 'The {what} of {location} is {given}.', fix: 'It takes {takes}.' },
  OPTIONS_UNREADABLE: {
    message: 'The {what} of {location} cannot be read.',
    fix: 'Fix the getter or proxy that throws; its error is the cause.',
  },
  OPTIONS_NOT_AN_OBJECT: {
    message: 'The options of {location} must be an object, but {given} was passed.',
    fix: 'Pass {takes}.',
  },
} as const;

export const optionErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/**
 * Refuses wrong options, at any depth: an unknown name, a wrong value, a missing value. Cheap enough for functions that
 * are called for each request. `location` names the function: `cors()`.
 * @throws OPTIONS_UNKNOWN with the nearest names, OPTIONS_BAD_VALUE, OPTIONS_NOT_AN_OBJECT, OPTIONS_UNREADABLE
 */
export function checkOptions(location: string, options: unknown, schema: AnyOption): void {
  if (options === undefined && !hasRequired(schema)) return;
  const issue = firstIssue(options, schema);
  if (issue !== undefined) throw errorOf(location, issue, { kind: 'option', options });
}

/** Checks a single value that is a separate argument, like `checkOptions`. */
export function checkValue(location: string, name: string, value: unknown, type: AnyOption): void {
  const issue = firstIssue(value, type);
  if (issue !== undefined)
    throw errorOf(location, { ...issue, path: [name, ...issue.path] }, { kind: 'argument' });
}

/**
 * Checks options like `checkOptions`, and returns a copy with defaults for missing ones. Getters and proxies are read
 * here, for the last time.
 */
export function readOptions<Options, Defaulted extends keyof Options = never>(
  location: string,
  options: Partial<Options> | undefined,
  schema: OptionsSchema<Options, Defaulted>,
): Options & Required<Pick<Options, Defaulted>> {
  checkOptions(location, options, schema);
  const read = { ...schema.defaults, ...copyGiven(location, options, schema) };
  return read as Options & Required<Pick<Options, Defaulted>>; // checked against this type's schema
}

/** Copies checked options. A getter that threw nothing when it was checked may still throw here. */
function copyGiven(location: string, options: unknown, schema: AnyOption): object {
  try {
    return Object(options === undefined ? {} : copyOf(options, schema)) as object; // `Object` returns one
  } catch (cause) {
    throw errorOf(location, unreadable(undefined, cause), { kind: 'option' });
  }
}

/** Errors thrown by a getter or a proxy inside a list, outside any options object, are issues too. */
function firstIssue(value: unknown, type: AnyOption): Issue | undefined {
  try {
    return type.check(value);
  } catch (cause) {
    return unreadable(undefined, cause);
  }
}

function hasRequired(schema: AnyOption): boolean {
  return schema.parts?.some(([, type]) => type.isRequired === true) ?? false;
}

function errorOf(
  location: string,
  { path: at, given, takes, known, cause }: Issue,
  { kind, options }: { readonly kind: 'option' | 'argument'; readonly options?: unknown },
): CodedError {
  const path = shownPath(at);
  const what = path === '' ? 'options' : `${path} ${kind}`;
  if (cause !== undefined) return optionErrors.create('OPTIONS_UNREADABLE', { location, what }, { cause });
  if (at.length === 0)
    return optionErrors.create('OPTIONS_NOT_AN_OBJECT', { location, given: kindInWords(options), takes });
  if (known === undefined) return optionErrors.create('OPTIONS_BAD_VALUE', { location, what, given, takes });
  const name = String(at.at(-1));
  const near = findNearest(name, known);
  return optionErrors.create('OPTIONS_UNKNOWN', {
    location: [location, shownPath(at.slice(0, -1)).replaceAll('.', ': ')].filter(Boolean).join(': '),
    name: name.slice(0, maxName),
    nearest: near.length === 0 ? '' : ` Did you mean "${near.join('" or "')}"?`,
    known: known.join(', '),
  });
}

const maxName = 100;

/** Joins a path as code would: `sections[0].panel`, `budgets["*"].queries`. */
function shownPath(path: Issue['path']): string {
  let shown = '';
  for (const part of path) {
    if (typeof part === 'number') shown += `[${part}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(part)) shown += shown === '' ? part : `.${part}`;
    else shown += shown === '' ? part.slice(0, maxName) : `[${JSON.stringify(part.slice(0, maxName))}]`;
  }
  return shown;
}
