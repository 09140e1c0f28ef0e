/** A set of tapped objects, such as connections. They are held weakly, so that closed ones can be collected. */
export class TappedObjects {
  readonly #undos = new WeakMap<object, () => void>();
  readonly #refs = new Set<WeakRef<object>>();

  /** Taps an object that is not tapped yet. */
  add(target: unknown, tap: (target: object) => (() => void) | undefined): void {
    if (typeof target !== 'object' || target === null || this.#undos.has(target)) return;
    const undo = tap(target);
    if (undo === undefined) return;
    for (const ref of this.#refs) if (ref.deref() === undefined) this.#refs.delete(ref);
    this.#undos.set(target, undo);
    this.#refs.add(new WeakRef(target));
  }

  /** Undoes all taps. */
  undoAll(): void {
    for (const ref of this.#refs) {
      const target = ref.deref();
      if (target === undefined) continue;
      this.#undos.get(target)?.();
      this.#undos.delete(target);
    }
    this.#refs.clear();
  }
}
