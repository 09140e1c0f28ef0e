import {
  isAnyArrayBuffer,
  isArrayBufferView,
  isBoxedPrimitive,
  isDataView,
  isDate,
  isMap,
  isNativeError,
  isPromise,
  isProxy,
  isRegExp,
  isSet,
  isSharedArrayBuffer,
  isTypedArray,
} from 'node:util/types';
import { classNameOf, functionName, takeGetter, takeMethod } from './read-data.js';
import type { Snapshot, SnapshotEntry, SnapshotType } from './snapshot.js';

/** An object member whose value is not dumped yet. */
export interface Member {
  readonly key: string;
  readonly kind: SnapshotEntry['kind'];
  readonly value: unknown;
  readonly mapKey?: unknown;
  /** The member is an accessor; its value was not read. */
  readonly accessor?: true;
}

/** An object's type, class name and members, read without running its code. */
export interface Branch {
  readonly type: SnapshotType;
  readonly text: string;
  readonly length?: number;
  readonly members: Member[];
  readonly more: number;
  /** `text` is a summary of the object, which is sufficient if there are no members. */
  readonly isSummary?: true;
}

const mapEntries = takeMethod<object>(Map.prototype, 'entries');
const setEntries = takeMethod<object>(Set.prototype, 'entries');
const mapSize = takeGetter<number>(Map.prototype, 'size');
const setSize = takeGetter<number>(Set.prototype, 'size');
type Step = IteratorResult<[unknown, unknown]>;
const nextOfMap = takeMethod<Step>(prototypeOf(new Map().entries()), 'next');
const nextOfSet = takeMethod<Step>(prototypeOf(new Set().entries()), 'next');
const typedLength = takeGetter<number>(prototypeOf(Uint8Array.prototype), 'length');
const viewBytes = takeGetter<number>(DataView.prototype, 'byteLength');
const bufferBytes = takeGetter<number>(ArrayBuffer.prototype, 'byteLength');
const sharedBytes = takeGetter<number>(SharedArrayBuffer.prototype, 'byteLength');

/** Reads at most `limit` members of an object that is neither a Proxy nor a leaf. */
export function openBranch(value: object, limit: number): Branch {
  const text = classNameOf(value);
  if (Array.isArray(value)) return openArray(value, text, limit);
  if (isMap(value) || isSet(value)) return openEntries(value, text, limit);
  if (isArrayBufferView(value) || isAnyArrayBuffer(value)) return openBytes(value, text, limit);
  const type = isNativeError(value) ? 'error' : 'object';
  // Reading `stack` would run `Error.prepareStackTrace`; `#core/errors` reads it safely.
  return { type, text, ...properties(value, limit, (key) => type === 'error' && key === 'stack') };
}

function openArray(value: readonly unknown[], text: string, limit: number): Branch {
  const length = value.length; // safe to read: an array's length is never an accessor
  const members: Member[] = [];
  for (let index = 0; index < Math.min(length, limit); index++) {
    const member = memberOf(value, index, 'index');
    if (member !== undefined) members.push(member);
  }
  if (length > limit) return { type: 'array', text, length, members, more: length - limit };
  // Named properties (a regular expression match's groups) are read only if the list of all keys is short.
  const named = properties(value, limit, isIndexOrLength);
  return { type: 'array', text, length, members: [...members, ...named.members], more: named.more };
}

/** Reads the entries of a map or a set; a set's internal iterator also yields pairs. */
function openEntries(value: object, text: string, limit: number): Branch {
  const [type, length, iterator, next] = isMap(value)
    ? (['map', mapSize(value), mapEntries(value), nextOfMap] as const)
    : (['set', setSize(value), setEntries(value), nextOfSet] as const);
  const members: Member[] = [];
  for (let step = next(iterator); members.length < limit && step.done !== true; step = next(iterator)) {
    const [key, member] = step.value;
    if (type === 'set') members.push({ key: String(members.length), kind: 'index', value: member });
    else if (typeof key === 'string') members.push({ key, kind: 'key', value: member });
    else members.push({ key: '', kind: 'key', value: member, mapKey: key });
  }
  return { type, text, length, members, more: length - members.length };
}

function openBytes(value: object, text: string, limit: number): Branch {
  if (!isTypedArray(value)) return { type: 'bytes', text, length: byteLength(value), members: [], more: 0 };
  const length = typedLength(value);
  const members: Member[] = [];
  for (let index = 0; index < Math.min(length, limit, 32); index++) {
    members.push({ key: String(index), kind: 'index', value: value[index] });
  }
  return { type: 'bytes', text, length, members, more: length - members.length };
}

function byteLength(value: object): number {
  try {
    if (isDataView(value)) return viewBytes(value);
    return isSharedArrayBuffer(value) ? sharedBytes(value) : bufferBytes(value);
  } catch {
    return 0; // a view of a detached buffer
  }
}

function properties(
  value: object,
  limit: number,
  skip: (key: PropertyKey) => boolean,
): { members: Member[]; more: number } {
  const members: Member[] = [];
  let more = 0;
  for (const key of Reflect.ownKeys(value)) {
    if (skip(key)) continue;
    if (members.length >= limit) {
      more++;
      continue;
    }
    const member = memberOf(value, key, typeof key === 'symbol' ? 'symbol' : 'property');
    if (member !== undefined) members.push(member);
  }
  return { members, more };
}

function memberOf(holder: object, key: PropertyKey, kind: Member['kind']): Member | undefined {
  const found = Object.getOwnPropertyDescriptor(holder, key);
  if (found === undefined) return undefined;
  const shown = kind === 'property' && found.enumerable !== true ? 'hidden' : kind;
  const name = String(key);
  if (!('value' in found)) return { key: name, kind: shown, value: undefined, accessor: true };
  return { key: name, kind: shown, value: found.value as unknown }; // typed as any by the library
}

function isIndexOrLength(key: PropertyKey): boolean {
  return key === 'length' || (typeof key === 'string' && /^\d+$/.test(key));
}

function prototypeOf(value: object): object {
  return Object.getPrototypeOf(value) as object; // typed as any by the library
}

const dateValue = takeMethod<number>(Date.prototype, 'getTime');
const dateText = takeMethod<string>(Date.prototype, 'toISOString');
const regexpSource = takeGetter<string>(RegExp.prototype, 'source');
const regexpFlags = 'hasIndices global ignoreCase multiline dotAll unicode unicodeSets sticky'
  .split(' ')
  .map((name) => takeGetter<boolean | undefined>(RegExp.prototype, name));
const flagLetters = 'dgimsuvy';
const hugeBigint = 10n ** 300n;

/** Returns the snapshot of a value without members; undefined for strings and for values with members. */
export function dumpLeaf(value: unknown): Snapshot | undefined {
  switch (typeof value) {
    case 'undefined':
      return { type: 'undefined', text: 'undefined' };
    case 'boolean':
      return { type: 'boolean', text: String(value) };
    case 'number':
      return { type: 'number', text: Object.is(value, -0) ? '-0' : String(value) };
    case 'bigint':
      return { type: 'bigint', text: bigintText(value) };
    case 'symbol':
      return { type: 'symbol', text: String(value).slice(0, 200) };
    case 'function':
      return { type: 'function', text: isProxy(value) ? 'Proxy' : functionText(value) };
    case 'object':
      return value === null ? { type: 'null', text: 'null' } : objectLeaf(value);
    default:
      return undefined;
  }
}

function bigintText(value: bigint): string {
  // Conversion to decimal takes quadratic time, so longer numbers are not printed.
  if (value < hugeBigint && value > -hugeBigint) return `${String(value)}n`;
  return `${value < 0n ? '-' : ''}(more than 300 digits)n`;
}

function functionText(value: object): string {
  return `${functionName(value).slice(0, 200) || '(anonymous)'}()`;
}

function objectLeaf(value: object): Snapshot | undefined {
  if (isProxy(value)) return { type: 'proxy', text: 'Proxy' };
  if (isPromise(value)) return { type: 'promise', text: classNameOf(value) };
  if (isDate(value)) {
    const time = dateValue(value);
    return { type: 'date', text: Number.isNaN(time) ? 'Invalid Date' : dateText(value) };
  }
  if (isRegExp(value)) return { type: 'regexp', text: regexpText(value) };
  if (isBoxedPrimitive(value)) return { type: 'object', text: classNameOf(value), entries: [] };
  return undefined;
}

function regexpText(value: RegExp): string {
  const flags = regexpFlags
    .map((read, index) => (read(value) === true ? (flagLetters[index] ?? '') : ''))
    .join('');
  return `/${regexpSource(value).slice(0, 500)}/${flags}`;
}
