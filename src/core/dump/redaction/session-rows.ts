import { isAnyArrayBuffer, isArrayBufferView, isDate, isMap, isProxy, isSet } from 'node:util/types';
import { looksGenerated } from './redacted-mark.js';

/** Larger numbers may be generated. */
const maxId = 1e9;
const maxMembers = 500;
const maxText = 10_000;

/**
 * An object called `session` is usually a login, and is hidden completely. But with a small number as its `id` and
 * without any text that looks like a key, it is an ordinary row (of a conference, a training), which is shown; its
 * members are still redacted one by one. A list is shown if each of its items is such a row.
 */
export function isSessionRow(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || isProxy(value)) return false;
  const items = Array.isArray(value) ? dataOf(value) : [value];
  return items !== undefined && items.length > 0 && items.every(hasSmallId) && isWithoutKey(value);
}

function hasSmallId(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || isProxy(value)) return false;
  const id = Object.getOwnPropertyDescriptor(value, 'id')?.value as unknown; // any in the library's type
  return typeof id === 'number' && Math.abs(id) < maxId;
}

/** Whether nothing in the object looks like a key, at any depth. False if it cannot be seen completely. */
function isWithoutKey(root: object): boolean {
  const seen = new Set<unknown>([root]);
  for (const holder of seen) {
    if (typeof holder === 'string' && looksLikeKey(holder)) return false;
    if (typeof holder !== 'object' || holder === null || isDate(holder)) continue;
    const members = isProxy(holder) || isContainer(holder) ? undefined : dataOf(holder);
    if (members === undefined || seen.size + members.length > maxMembers) return false;
    for (const member of members) seen.add(member);
  }
  return true;
}

/** Objects whose content is not in their properties. */
function isContainer(value: object): boolean {
  return isArrayBufferView(value) || isAnyArrayBuffer(value) || isMap(value) || isSet(value);
}

/** The values of all properties, which accessors do not have; undefined if there are too many. */
function dataOf(holder: object): readonly unknown[] | undefined {
  const keys = Object.keys(holder);
  if (keys.length > maxMembers) return undefined;
  return keys.map((key) => Object.getOwnPropertyDescriptor(holder, key)?.value as unknown); // any in the library's type
}

function looksLikeKey(text: string): boolean {
  return looksGenerated(text) || /^[\w+/=-]{24,}$/.test(text);
}

/** Like `isSessionRow`, for an object or a list in a text: JSON, or what the console prints. */
export function isSessionRowText(text: string): boolean {
  if (text.length > maxText || !/[}\]]$/.test(text)) return false;
  const rowDepth = text.startsWith('[') ? 2 : 1;
  const words = text.match(/[{}[\],:]|[^\s{}[\],:"'`\\]+/g) ?? [];
  let [depth, rows, ids] = [0, 0, 0];
  for (const [at, word] of words.entries()) {
    if (word === '{' || word === '[') depth++;
    if (word === '{' && depth === rowDepth) rows++;
    if (word === '}' || word === ']') depth--;
    const isId = depth === rowDepth && word === 'id' && words[at + 1] === ':';
    if (isId && /^\d{1,9}$/.test(words[at + 2] ?? '')) ids++;
    if (looksLikeKey(word)) return false;
  }
  return rows > 0 && ids === rows;
}
