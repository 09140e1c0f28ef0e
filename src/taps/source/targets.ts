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

/** Returns a function that taps objects, such as connections, each once. */
export function tapEachOnce(tap: (target: object) => unknown): (target: unknown) => void {
  const tapped = new WeakSet<object>();
  return (target) => {
    if (typeof target !== 'object' || target === null || tapped.has(target)) return;
    tapped.add(target);
    tap(target);
  };
}

const recorded = new WeakSet<object>(); // targets that were passed by hand

/** Taps what the application passes, once, and returns it. Throws `TAPS_UNKNOWN_TARGET` if `tap` does not recognise it. */
export function recordTarget<Target extends object>(
  target: Target,
  tap: (target: object) => boolean,
  names: { readonly function: string; readonly known: string },
): Target {
  if (recorded.has(target)) return target;
  if (!tap(target)) throw tapErrors.create('TAPS_UNKNOWN_TARGET', { ...names, what: classNameOf(target) });
  recorded.add(target);
  return target;
}

/** Returns a tap that chooses among others by a method that the target has; false if it has none of them. */
export function tapByMethod(
  taps: Readonly<Record<string, (target: object) => unknown>>,
): (target: object) => boolean {
  return (target) => {
    const [, tap] = Object.entries(taps).find(([method]) => method in target) ?? [];
    tap?.(target);
    return tap !== undefined;
  };
}
