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
    // Asked of a Proxy, even whether it is frozen runs its code.
    if (typeof data !== 'object' || data === null || isProxy(data) || !Object.isFrozen(data))
      return copyPlain(data, this.#redactor, limit);
    let known = this.#frozen.get(data);
    if (known !== undefined) return known;
    known = copyPlain(data, this.#redactor, limit);
    if (!isDeeplyFrozen(data, 0)) return known;
    known = { ...known, shared: new SharedSection(known.json) };
    this.#frozen.set(data, known);
    return known;
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
