import { type ErrorCodes, defineErrorCodes } from '#core/coded-error';
import { classNameOf } from '#core/dump';

const table = {
  INSTRUMENTATION_UNKNOWN_TARGET: {
    message: '{function} does not support its argument: {what}.',
    fix: 'It supports {known}. docs/guides/instrumentation.md describes how to record anything else.',
  },
  INSTRUMENTATION_NO_CLIENT: {
    message: 'This process no longer has a client for the connection “{connection}”.',
    fix: 'Pass one to recordQueries(client), or send the request again and explain the query in the new record.',
  },
  INSTRUMENTATION_NO_PLANS: {
    message: 'The client of “{connection}” cannot return query plans.',
    fix: 'Use pg, postgres.js, mysql2, Knex, Kysely, Drizzle, TypeORM, MikroORM or SQLite; see docs/guides/instrumentation.md.',
  },
  INSTRUMENTATION_PLAN_LATE: {
    message: 'The database returned no plan within {milliseconds} ms.',
    fix: 'The database may be busy, or its connection pool exhausted; try again.',
  },
} as const;

/** Error codes for unsupported targets, and for query plans. */
export const instrumentationErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/** Returns a function that instruments objects, such as connections, once each. */
export function instrumentEachOnce(instrumentation: (target: object) => unknown): (target: unknown) => void {
  const instrumented = new WeakSet<object>();
  return (target) => {
    if (typeof target !== 'object' || target === null || instrumented.has(target)) return;
    instrumented.add(target);
    instrumentation(target);
  };
}

const recorded = new WeakSet<object>(); // targets passed by the application

/**
 * Instruments an application's target, once, and returns it. Throws `INSTRUMENTATION_UNKNOWN_TARGET` if
 * `instrumentation` does not recognise it.
 */
export function recordTarget<Target extends object>(
  target: Target,
  instrumentation: (target: object) => boolean,
  names: { readonly function: string; readonly known: string },
): Target {
  if (recorded.has(target)) return target;
  const isObject = (typeof target === 'object' && target !== null) || typeof target === 'function'; // JavaScript may pass anything
  if (!isObject || !instrumentation(target))
    throw instrumentationErrors.create('INSTRUMENTATION_UNKNOWN_TARGET', {
      ...names,
      what: isObject ? classNameOf(target) : kindOf(target),
    });
  recorded.add(target);
  return target;
}

/** Returns an instrumentation that selects another one by a target method; false if the target has none of the methods. */
export function instrumentByMethod(
  instrumentations: Readonly<Record<string, (target: object) => unknown>>,
): (target: object) => boolean {
  return (target) => {
    const [, instrumentation] = Object.entries(instrumentations).find(([method]) => method in target) ?? [];
    instrumentation?.(target);
    return instrumentation !== undefined;
  };
}

/** Names a value that is no object without showing it: it may be a database's URL with its password. */
function kindOf(value: unknown): string {
  return value === null || value === undefined ? String(value) : `a ${typeof value}`;
}
