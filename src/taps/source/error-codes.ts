import type { ErrorCodes } from '#coded-error';
import { defineErrorCodes } from '#coded-error';

const table = {
  TAPS_UNKNOWN_TARGET: {
    message: '{function} does not know what it was given: {what}.',
    fix: 'It takes {known}. docs/taps.md says how to report anything else.',
  },
  TAPS_NO_CLIENT: {
    message: 'This process has no client of the connection “{connection}” any more.',
    fix: 'Give it one with recordQueries(client), or send the request again and explain its query there.',
  },
  TAPS_NO_PLANS: {
    message: 'The client of “{connection}” is none that plans can be asked of.',
    fix: 'pg, postgres.js, mysql2, Knex, Kysely, Drizzle, TypeORM, MikroORM and SQLite can; see docs/taps.md.',
  },
  TAPS_PLAN_LATE: {
    message: 'The database gave no plan within {milliseconds} ms.',
    fix: 'It may be busy, or all connections of the pool may be in use: try it again.',
  },
} as const;

/** What can be wrong with what is to be tapped, or asked for a plan. */
export const tapErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
