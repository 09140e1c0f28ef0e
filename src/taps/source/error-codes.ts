import type { ErrorCodes } from '#coded-error';
import { defineErrorCodes } from '#coded-error';

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
