import { isBoxedPrimitive, isDate, isMap, isPromise, isSet } from 'node:util/types';
import { safely } from '#core/coded-error';
import { classNameOf } from '#core/dump';
import { currentScope } from '#core/scope';
import { httpErrors } from '../failures/error-codes.js';
import { lostInJson, requestDebug } from '../request/request-facts.js';

/**
 * Renders a value as JSON; undefined becomes `null`. Throws `HTTP_JSON_REFUSED` for a BigInt or a circular reference,
 * and in debug `HTTP_JSON_LOST` for what JSON would turn into `{}` although it is not an empty record, such as a
 * promise or a Map, or into `null` although it is not nothing, such as NaN or an invalid date. Errors of getters and
 * `toJSON` methods are passed on.
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
  if (!mayLackValues(text)) return text;
  const scope = currentScope();
  if (scope?.get(requestDebug) === true)
    findLost(value, (lost) => {
      const { what, path, sent, hint } = lost;
      throw httpErrors.create('HTTP_JSON_LOST', {
        what,
        path,
        sent: sent === '{}' ? 'an empty object' : sent,
        hint,
      });
    });
  const noted = scope?.get(lostInJson);
  if (noted !== undefined && text.length <= maxSearched)
    // A toJSON method that throws only the second time must not fail the request.
    safely(
      () =>
        findLost(value, ({ what, path, sent }) => {
          if (noted.lost.length + noted.nulled.length >= maxNoted) return;
          noted[sent === '{}' ? 'lost' : 'nulled'].push(`${what} at ${path}`);
        }),
      undefined,
    );
  return text;
}

/** Whether JSON may lack parts of its value. They always become `{}` or `null`, so that most texts need no search. */
export function mayLackValues(json: string | Buffer): boolean {
  return json.includes('{}') || json.includes('null');
}

interface RefusedValue {
  readonly what: string;
  readonly path: string;
  readonly hint: string;
}

interface LostValue extends RefusedValue {
  /** The JSON in its place. */
  readonly sent: '{}' | 'null';
}

function findLost(value: unknown, found: (lost: LostValue) => void): void {
  const paths = new Map<unknown, string>();
  let isFirst = true;
  JSON.stringify(value, function checkLost(this: unknown, key: string, inner: unknown): unknown {
    const isTop = isFirst;
    isFirst = false;
    const isObject = typeof inner === 'object' && inner !== null;
    const lost = isObject ? describeLost(inner) : describeNulled(inner, this, { key, isTop });
    if (!isObject && lost === undefined) return inner;
    const path = isTop ? '' : `${paths.get(this) ?? ''}${stepOf(this, key)}`;
    if (isObject && !paths.has(inner)) paths.set(inner, path);
    const [what, hint = ''] = lost ?? [];
    if (what !== undefined) found({ what, path: shownPath(path), hint, sent: isObject ? '{}' : 'null' });
    return inner;
  });
}

/** Finds the first value that `JSON.stringify` refuses, or the promise around it. */
function findRefused(value: unknown): RefusedValue | undefined {
  let refused: RefusedValue | undefined;
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

/** Describes a value that is not nothing, but that JSON serializes to null; undefined for all others. */
function describeNulled(
  value: unknown,
  holder: unknown,
  { key, isTop }: { readonly key: string; readonly isTop: boolean },
): readonly [what: string, hint?: string] | undefined {
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return undefined;
    return [String(value), ' JSON has finite numbers only: send null, or String(value).'];
  }
  if (typeof value === 'function' || typeof value === 'symbol')
    // Fields of these types are omitted, like undefined ones: a record may have methods.
    return isTop || Array.isArray(holder) ? [`a ${typeof value}`] : undefined;
  if (value !== null) return undefined;
  // An invalid date has rendered itself as null before the replacer sees it.
  const original: unknown = safely(() => Reflect.get(holder as object, key), undefined); // by definition
  return isDate(original) ? ['an invalid Date', ' Check it when it is parsed, or send null.'] : undefined;
}

/** Whether an object is a plain record, possibly from another realm such as `node:vm`. */
function isRecord(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null; // by definition
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}
