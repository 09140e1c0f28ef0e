import { isBoxedPrimitive, isMap, isPromise, isSet } from 'node:util/types';
import { safely } from '#core/coded-error';
import { classNameOf } from '#core/dump';
import { currentScope } from '#core/scope';
import { httpErrors } from '../failures/error-codes.js';
import { lostInJson, requestDebug } from '../request/request-facts.js';

/**
 * Renders a value as JSON; undefined becomes `null`. Throws `HTTP_JSON_REFUSED` for a BigInt or a circular reference,
 * and in debug `HTTP_JSON_LOST` for a promise, a Map, or another object that JSON would turn into `{}` although it is
 * not an empty record. Errors of getters and `toJSON` methods are passed on.
 */
export function serialiseJson(value: unknown): string {
  return withoutLostValues(stringify(value) ?? 'null', value);
}

function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    // V8's message names neither the place nor the remedy.
    const refused = safely(() => findRefused(value), undefined);
    throw refused === undefined ? cause : httpErrors.create('HTTP_JSON_REFUSED', refused, { cause });
  }
}

/** Longest JSON that is searched for lost values outside debug, where the search is optional. */
const maxSearched = 65_536;
const maxNoted = 5;

/**
 * Returns a value's JSON. If parts of the value are lost in it, throws `HTTP_JSON_LOST` in debug, and notes them
 * otherwise.
 */
export function withoutLostValues(text: string, value: unknown): string {
  // Lost values always become `{}`, so that most texts need no search.
  if (!text.includes('{}')) return text;
  const scope = currentScope();
  if (scope?.get(requestDebug) === true)
    findLost(value, (lost) => {
      throw httpErrors.create('HTTP_JSON_LOST', lost);
    });
  const noted = scope?.get(lostInJson);
  if (noted !== undefined && text.length <= maxSearched)
    // A toJSON method that throws only the second time must not fail the request.
    safely(
      () =>
        findLost(value, ({ what, path }) => {
          if (noted.length < maxNoted) noted.push(`${what} at ${path}`);
        }),
      undefined,
    );
  return text;
}

interface LostValue {
  readonly what: string;
  readonly path: string;
  readonly hint: string;
}

function findLost(value: unknown, found: (lost: LostValue) => void): void {
  const paths = new Map<unknown, string>();
  JSON.stringify(value, function checkLost(this: unknown, key: string, inner: unknown): unknown {
    if (typeof inner !== 'object' || inner === null) return inner;
    const path = paths.size === 0 ? '' : `${paths.get(this) ?? ''}${stepOf(this, key)}`;
    if (!paths.has(inner)) paths.set(inner, path);
    const [what, hint = ''] = describeLost(inner) ?? [];
    if (what !== undefined) found({ what, path: shownPath(path), hint });
    return inner;
  });
}

/** Finds the first value that `JSON.stringify` refuses, or the promise around it. */
function findRefused(value: unknown): LostValue | undefined {
  let refused: LostValue | undefined;
  /** The objects around the current value, outermost first, with their paths. */
  const holders: (readonly [holder: unknown, path: string])[] = [];
  const search = function (this: unknown, key: string, inner: unknown): unknown {
    while (holders.length > 0 && holders.at(-1)?.[0] !== this) holders.pop();
    const path = holders.length === 0 ? '' : `${holders.at(-1)?.[1] ?? ''}${stepOf(this, key)}`;
    const described = describeRefused(
      inner,
      holders.map(([holder]) => holder),
    );
    if (described !== undefined) {
      refused = { what: described[0], path: shownPath(path), hint: described[1] };
      throw new Error('found');
    }
    if (typeof inner === 'object' && inner !== null) holders.push([inner, path]);
    return inner;
  };
  safely(() => JSON.stringify(value, search), undefined);
  return refused;
}

function describeRefused(
  value: unknown,
  holders: readonly unknown[],
): readonly [what: string, hint: string] | undefined {
  if (typeof value === 'bigint') return ['a BigInt', ' Use String(value).'];
  if (typeof value !== 'object' || value === null) return undefined;
  if (isThenable(value)) return promiseInWords;
  if (!holders.includes(value)) return undefined;
  return ['a circular reference', ' Choose the fields to send, without the one that leads back.'];
}

const promiseInWords = ['a promise', ' Is an await missing?'] as const;

/** Whether an object is a promise, or a query builder that runs when it is awaited. */
function isThenable(value: object): boolean {
  return isPromise(value) || safely(() => typeof Reflect.get(value, 'then') === 'function', false);
}

function shownPath(path: string): string {
  return path.slice(0, 200) || 'its top level';
}

/** One step of a path in JavaScript syntax: `.user`, `[3]`, `["first name"]`. */
function stepOf(holder: unknown, key: string): string {
  if (Array.isArray(holder)) return `[${key}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** Describes an object that JSON serializes to nothing; undefined for all others. */
function describeLost(value: object): readonly [what: string, hint?: string] | undefined {
  if (Array.isArray(value) || ArrayBuffer.isView(value) || isBoxedPrimitive(value)) return undefined;
  if (isThenable(value)) return promiseInWords;
  if (Object.keys(value).length > 0) return undefined;
  if (isMap(value)) return ['a Map', ' Use Object.fromEntries(map).'];
  if (isSet(value)) return ['a Set', ' Use [...set].'];
  if (isRecord(value)) return undefined;
  return [`an instance of ${classNameOf(value)} without fields`, ' Add a toJSON method to provide some.'];
}

/** Whether an object is a plain record, possibly from another realm such as `node:vm`. */
function isRecord(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null; // by definition
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}
