/**
 * Identifies one value of a scope and carries its type. Created once, at module level, by the house that owns the value.
 */
export interface ScopeKey<T> {
  readonly name: string;
  /** Index of the value in every scope; unique within this copy of the code. */
  readonly slot: number;
  /** Never set: it makes `ScopeKey<A>` and `ScopeKey<B>` different types. */
  readonly valueType?: T;
}

let slots = 0; // number of keys created so far

/** Creates a key. The `name` is only shown by debuggers. */
export function createScopeKey<T>(name: string): ScopeKey<T> {
  return { name, slot: slots++ };
}

/** Number of slots that a new scope needs. */
function slotCount(): number {
  return slots;
}

/**
 * The values of one request. The scope of a sub-request has the scope of the outer request as its `parent`: it reads the
 * parent's values unless it has set its own, and never changes them.
 */
export class Scope {
  readonly parent: Scope | undefined;
  /** Allocated with its final length: growing the array for each later key would cost more than all reads together. */
  // oxlint-disable-next-line unicorn/no-new-array -- the argument is a length
  readonly #values: unknown[] = new Array<unknown>(slotCount());

  constructor(parent?: Scope) {
    this.parent = parent;
  }

  /** Returns the value of this scope, or of the nearest parent that has one. */
  get<T>(key: ScopeKey<T>): T | undefined {
    const own = this.#values[key.slot];
    if (own !== undefined || this.parent === undefined) return own as T | undefined; // set() takes only a T for this slot
    return this.parent.get(key);
  }

  /**
   * Returns the value of this scope only, ignoring parents. For values that every (sub-)request must decide for itself.
   */
  getOwn<T>(key: ScopeKey<T>): T | undefined {
    return this.#values[key.slot] as T | undefined; // set() takes only a T for this slot
  }

  set<T>(key: ScopeKey<T>, value: T): void {
    this.#values[key.slot] = value;
  }

  /** Removes the value of this scope, so that `get` returns the parent's value again. */
  delete(key: ScopeKey<unknown>): void {
    this.#values[key.slot] = undefined;
  }
}
