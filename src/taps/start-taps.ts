import { listenToRedis } from './cache/redis.js';
import { listenToNodeClient } from './calls/node-client.js';
import { listenToUndici } from './calls/undici.js';
import { type JobRecorder, recordJobsBy } from './jobs/bullmq.js';
import { LoadedLibraries } from './loaded-libraries.js';
import { tapConsole } from './logs/console.js';
import { listenToPino } from './logs/pino.js';
import { listenToMongoose } from './queries/mongoose.js';
import { listenToMysql2 } from './queries/mysql2.js';
import { listenToSqlite } from './queries/sqlite.js';
import { undoAll } from './source/replace-method.js';

/** Taps that are open for whoever started them. */
export interface StartedTaps {
  /** Asked at the beginning of each request: libraries that were loaded meanwhile are tapped. */
  look(): void;
  /** Closes them where nobody else needs them. A second call does nothing. */
  stop(): void;
}

const libraries = new LoadedLibraries();
let users = 0;
let undo: (() => void) | undefined;

/**
 * Opens the taps that need no word of the application: undici and `fetch`, `node:http`, mysql2, Mongoose, `sqlite.db.query`, ioredis,
 * redis, pino, the console, and of loaded CommonJS pg, winston and nodemailer. Each is opened once a process, whoever asks, and writes to
 * the recording of the request that it is used in; outside of recorded requests it does nothing. `recorder` keeps the records of jobs.
 */
export function startTaps({ recorder }: { readonly recorder?: () => JobRecorder } = {}): StartedTaps {
  users++;
  if (recorder !== undefined) recordJobsBy(recorder);
  undo ??= undoAll([
    listenToUndici(),
    listenToNodeClient(),
    listenToMysql2(),
    listenToMongoose(),
    listenToSqlite(),
    listenToRedis(),
    listenToPino(),
    tapConsole(),
    () => libraries.undo(),
    () => recordJobsBy(undefined),
  ]);
  let isStarted = true;
  return {
    look: () => libraries.look(),
    stop() {
      if (!isStarted) return;
      isStarted = false;
      if (--users > 0) return;
      undo?.();
      undo = undefined;
    },
  };
}
