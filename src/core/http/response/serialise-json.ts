import { isBoxedPrimitive, isMap, isPromise, isSet } from 'node:util/types';
import { safely } from '#core/coded-error';
import { classNameOf } from '#core/dump';
import { currentScope } from '#core/scope';
import { httpErrors } from '../failures/error-codes.js';
import { lostInJson, requestDebug } from '../request/request-facts.js';

/**
 * Renders a value as JSON; undefined becomes `null`. Throws the errors of `JSON.stringify`, and in debug
 * `HTTP_JSON_LOST` for a promise, a Map, or another object that JSON would turn into `{}` although it is not an empty
 * record.
 */
export function serialiseJson(value: unknown): string {
  return withoutLostValues(JSON.stringify(value) ?? 'null', value);
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
    if (what !== undefined) found({ what, path: path.slice(0, 200) || 'its top level', hint });
    return inner;
  });
}

/** One step of a path in JavaScript syntax: `.user`, `[3]`, `["first name"]`. */
function stepOf(holder: unknown, key: string): string {
  if (Array.isArray(holder)) return `[${key}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** Describes an object that JSON serializes to nothing; undefined for all others. */
function describeLost(value: object): readonly [what: string, hint?: string] | undefined {
  if (Array.isArray(value) || ArrayBuffer.isView(value) || isBoxedPrimitive(value)) return undefined;
  if (Object.keys(value).length > 0) return undefined;
  if (isPromise(value)) return ['a promise', ' Is an await missing?'];
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
