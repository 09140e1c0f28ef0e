import { isProxy } from 'node:util/types';
import type { Redactor } from '#dump';
import { copyPlain } from './copy-plain.js';
import { SharedSection } from './shared-section.js';

interface Copy extends ReturnType<typeof copyPlain> {
  /** Where the data is the same for many records. */
  readonly shared?: SharedSection;
}

/** Copies of plain data as JSON. Data that is frozen in all its depth, and given again and again, is copied once. */
export class PlainCopies {
  readonly #redactor: Redactor;
  readonly #frozen = new WeakMap<object, Copy>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** `limit` is the same in every call. */
  take(data: unknown, limit: number): Copy {
    const isObject = typeof data === 'object' && data !== null;
    const known = isObject ? this.#frozen.get(data) : undefined;
    if (known !== undefined) return known;
    const copy = copyPlain(data, this.#redactor, limit);
    // Asked of a Proxy, even whether it is frozen runs its code.
    if (!isObject || isProxy(data) || !isDeeplyFrozen(data, 0)) return copy;
    const shared = { ...copy, shared: new SharedSection(copy.json) };
    this.#frozen.set(data, shared);
    return shared;
  }
}

const deepest = 8;

/** Whether nothing of it can change: frozen objects and simple values all the way down. Runs no code of the data. */
function isDeeplyFrozen(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth > deepest || isProxy(value) || !Object.isFrozen(value)) return false;
  return Object.values(Object.getOwnPropertyDescriptors(value)).every(
    (property) => 'value' in property && isDeeplyFrozen(property.value, depth + 1),
  );
}
