import { isBoxedPrimitive, isDate, isPromise, isProxy, isRegExp } from 'node:util/types';
import { classNameOf, functionName, takeGetter, takeMethod } from './read-data.js';
import type { Picture } from './picture.js';

const dateValue = takeMethod<number>(Date.prototype, 'getTime');
const dateText = takeMethod<string>(Date.prototype, 'toISOString');
const regexpSource = takeGetter<string>(RegExp.prototype, 'source');
const regexpFlags = 'hasIndices global ignoreCase multiline dotAll unicode unicodeSets sticky'
  .split(' ')
  .map((name) => takeGetter<boolean | undefined>(RegExp.prototype, name));
const flagLetters = 'dgimsuvy';
const hugeBigint = 10n ** 300n;

/** Returns the picture of a value without members; undefined for strings and for values with members. */
export function dumpLeaf(value: unknown): Picture | undefined {
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

function objectLeaf(value: object): Picture | undefined {
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
