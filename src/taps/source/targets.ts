import { type ErrorCodes, defineErrorCodes } from '#coded-error';
import { classNameOf } from '#dump';

const table = {
  TAPS_UNKNOWN_TARGET: {
    message: '{function} does not support its argument: {what}.',
    fix: 'It supports {known}. docs/taps.md describes how to record anything else.',
  },
  TAPS_NO_CLIENT: {
    message: 'This process no longer has a client for the connection “{connection}”.',
    fix: 'Pass one to recordQueries(client), or send the request again and explain its query there.',
  },
  TAPS_NO_PLANS: {
    message: 'The client of “{connection}” cannot return query plans.',
    fix: 'Use pg, postgres.js, mysql2, Knex, Kysely, Drizzle, TypeORM, MikroORM or SQLite; see docs/taps.md.',
  },
  TAPS_PLAN_LATE: {
    message: 'The database returned no plan within {milliseconds} ms.',
    fix: 'It may be busy, or all connections of the pool may be in use: try again.',
  },
} as const;

/** Error codes for targets that cannot be tapped, and for plans. */
export const tapErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

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

const undos = new WeakMap<object, () => void>();

/**
 * Taps the target of one of the functions that `stopRecording` undoes, unless it is already tapped; returns the target.
 * Throws `TAPS_UNKNOWN_TARGET` if `tap` returns undefined because it does not recognise the target.
 */
export function recordTarget<Target extends object>(
  target: Target,
  tap: (target: object) => (() => void) | undefined,
  names: { readonly function: string; readonly known: string },
): Target {
  if (undos.has(target)) return target;
  const undo = tap(target);
  if (undo === undefined)
    throw tapErrors.create('TAPS_UNKNOWN_TARGET', { ...names, what: classNameOf(target) });
  undos.set(target, undo);
  return target;
}

/** Undoes `recordQueries`, `recordMail`, `recordLogs` or `recordJobs` for a target. */
export function stopRecording(target: object): void {
  undos.get(target)?.();
  undos.delete(target);
}
