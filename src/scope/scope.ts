/** Names one value of a scope and carries its type. Created once, at module level, by the house that owns the value. */
export interface ScopeKey<T> {
  readonly name: string;
  /** Place of the value in every scope; unique in the process. */
  readonly slot: number;
  /** Never set: it makes `ScopeKey<A>` and `ScopeKey<B>` different types. */
  readonly valueType?: T;
}

let slots = 0; // keys made by now

/** Creates a key; `name` is only for debuggers. */
export function createScopeKey<T>(name: string): ScopeKey<T> {
  return { name, slot: slots++ };
}

/** How many places the values of a scope need by now. */
function slotCount(): number {
  return slots;
}

/**
 * The values of one request. A sub-request has a scope of its own whose `parent` is the outer one: it reads the
 * parent's values until it sets its own, and never changes the parent's.
 */
export class Scope {
  readonly parent: Scope | undefined;
  /** As long as it has to be from the start: growing it once for each later key would cost more than all its reads. */
  // oxlint-disable-next-line unicorn/no-new-array -- the length is meant
  readonly #values: unknown[] = new Array<unknown>(slotCount());

  constructor(parent?: Scope) {
    this.parent = parent;
  }

  /** The value here or in the nearest parent that has one. */
  get<T>(key: ScopeKey<T>): T | undefined {
    const own = this.#values[key.slot];
    if (own !== undefined || this.parent === undefined) return own as T | undefined; // set() takes only a T for this slot
    return this.parent.get(key);
  }

  /** The value set here; a parent's does not count. For what each request has to decide anew. */
  getOwn<T>(key: ScopeKey<T>): T | undefined {
    return this.#values[key.slot] as T | undefined; // set() takes only a T for this slot
  }

  set<T>(key: ScopeKey<T>, value: T): void {
    this.#values[key.slot] = value;
  }

  /** Forgets the own value, so that a parent's shows again. */
  delete(key: ScopeKey<unknown>): void {
    this.#values[key.slot] = undefined;
  }
}
