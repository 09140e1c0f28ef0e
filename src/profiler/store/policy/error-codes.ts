import type { ErrorCodes } from '#coded-error';
import { defineErrorCodes } from '#coded-error';

const table = {
  PROFILER_STORE_ADDRESS: {
    message: 'PROFILER_STORE is "{value}", which names no store.',
    fix: 'Give "sqlite:" and the path of a file ("sqlite:var/profiler.db"), "postgres://…", "redis://…" or "memory:".',
  },
  PROFILER_STORE_DRIVER: {
    message: 'There is no SQLite here: neither node:sqlite nor @photostructure/sqlite can be loaded.',
    fix: 'Use Node 22.13 or later, or run "npm install @photostructure/sqlite"; "memory:" needs neither.',
  },
  PROFILER_STORE_CLIENT: {
    message: 'PROFILER_STORE needs the package "{name}", which cannot be loaded.',
    fix: 'Run "npm install {name}".',
  },
  PROFILER_STORE_AWAY: {
    message: '"{path}" cannot be reached: {reason}.',
    fix: 'It is tried again; records wait in memory (bounded). See that the server runs and the address is right.',
  },
  PROFILER_STORE_REFUSED: {
    message: '"{path}" refused: {reason}.',
    fix: 'See that user, password and database of PROFILER_STORE are right; docs/stores.md names the permissions.',
  },
  PROFILER_STORE_ABSENT: {
    message: 'There is no store at "{path}".',
    fix: 'Name the store of the application with --store or PROFILER_STORE; it is made when the first request is recorded.',
  },
  PROFILER_STORE_FOREIGN: {
    message: '"{path}" is a database of something else and is left as it is.',
    fix: 'Give PROFILER_STORE a file of its own.',
  },
  PROFILER_STORE_NEWER: {
    message:
      '"{path}" was written by a newer version (schema {found}, this one knows {known}) and is left as it is.',
    fix: 'Update lookback, or give PROFILER_STORE another file.',
  },
  PROFILER_STORE_OLDER: {
    message: '"{path}" was written by an older version (schema {found}, this one writes {known}).',
    fix: 'Nothing: it is set aside and a new file is begun. An older lookback can still read it.',
  },
  PROFILER_STORE_FULL: {
    message: 'There is no room left for "{path}".',
    fix: 'Make room on the disk; records wait in memory (bounded) and are written then.',
  },
  PROFILER_STORE_READ_ONLY: {
    message: '"{path}" cannot be written.',
    fix: 'Let the process write the file and its folder, or give PROFILER_STORE another file.',
  },
  PROFILER_STORE_CANNOT_OPEN: {
    message: '"{path}" cannot be opened: {reason}.',
    fix: 'See that the folder exists and may be written, or give PROFILER_STORE another file.',
  },
  PROFILER_STORE_CORRUPT: {
    message: '"{path}" is damaged.',
    fix: 'Nothing: it is put aside and a new one is begun. "lookback store repair" saves the records that can be read.',
  },
  PROFILER_STORE_BUSY: {
    message: '"{path}" is held by another process.',
    fix: 'Nothing, if it passes; else end the process that holds the file.',
  },
  PROFILER_STORE_FAILED: {
    message: 'Writing to "{path}" failed: {reason}.',
    fix: 'It is tried again; records wait in memory (bounded).',
  },
  PROFILER_STORE_WRITER: {
    message: 'The thread that writes "{path}" ended: {reason}.',
    fix: 'Nothing: it is started again, and what it had not written is written then.',
  },
} as const;

/** The errors of stores. */
export const storeErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/** What can be wrong with a store on a server. */
export type ServerProblem = `PROFILER_STORE_${'AWAY' | 'FAILED' | 'FULL' | 'READ_ONLY' | 'REFUSED'}`;
