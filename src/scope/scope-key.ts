/** Names one value of a scope and carries its type. Made once, at module level, by the house that owns the value. */
export interface ScopeKey<T> {
  readonly name: string;
  /** Place of the value in every scope; unique in the process. */
  readonly slot: number;
  /** Never set: it makes `ScopeKey<A>` and `ScopeKey<B>` different types. */
  readonly valueType?: T;
}

let slots = 0; // keys made by now

/** Makes a key; `name` is only for people who read a debugger. */
export function createScopeKey<T>(name: string): ScopeKey<T> {
  return { name, slot: slots++ };
}

/** How many places the values of a scope need by now. */
export function slotCount(): number {
  return slots;
}
