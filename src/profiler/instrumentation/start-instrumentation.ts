import { callable, checkOptions, type OptionsSchema, optionsSchema } from '#core/options';
import { LoadedModules, shareUndo, type Undo, undoAll } from '#core/patches';
import { listenToRedis } from './cache/redis.js';
import { listenToNodeClient } from './calls/node-client.js';
import { listenToUndici } from './calls/undici.js';
import { type JobRecorder, recordJobsBy } from './jobs/run-job.js';
import { instrumentConsole } from './logs/loggers.js';
import { listenToPino, instrumentOutput } from './logs/logger-output.js';
import { instrumentNodeWarnings } from './logs/node-warnings.js';
import { listenToMongoose } from './queries/mongo.js';
import { listenToMysql2 } from './queries/query-clients.js';
import { listenToSqlite } from './queries/sqlite.js';
import { calledLibraries, instrumentedLibraries, reportSkipped } from './libraries.js';
import { watchLibraries } from './loaded-libraries.js';

interface InstrumentationOptions {
  /** Returns the profiler that records jobs. */
  readonly recorder?: () => JobRecorder;
}

export const instrumentationSchema: OptionsSchema<InstrumentationOptions> =
  optionsSchema<InstrumentationOptions>({ recorder: callable() });

/** The instrumentations opened by one caller. */
export interface StartedInstrumentations {
  /** Instruments libraries loaded since the last call. Call it at the start of each request. */
  look(): void;
  /** Closes the instrumentations if no other caller needs them. Further calls do nothing. */
  stop(): void;
  /** Resolves when libraries that are ECMAScript modules have been instrumented. */
  readonly ready: Promise<void>;
}

const libraries = new LoadedModules(
  instrumentedLibraries.flatMap(({ modules = [] }) => modules),
  [...instrumentedLibraries, ...calledLibraries],
  reportSkipped,
);
const modules = new LoadedModules(
  instrumentedLibraries.flatMap(({ imports = [] }) => imports),
  instrumentedLibraries,
  reportSkipped,
);

let undoOutput: Undo | undefined; // process-wide, like its output
let imported = Promise.resolve(); // settles when the open instrumentations have imported ECMAScript modules

const openInstrumentations = shareUndo(() => {
  imported = modules.import(process.argv[1] ?? '');
  return undoAll([
    listenToUndici(),
    listenToNodeClient(),
    listenToMysql2(),
    listenToMongoose(),
    listenToSqlite(),
    listenToRedis(),
    listenToPino(),
    instrumentConsole(),
    instrumentNodeWarnings(),
    () => {
      undoOutput?.();
      undoOutput = undefined;
    },
    watchLibraries([libraries, modules]),
    () => libraries.undo(),
    () => modules.undo(),
    () => recordJobsBy(undefined),
  ]);
});

/**
 * Starts the instrumentations that need no call from the application: undici and `fetch`, `node:http`, mysql2,
 * Mongoose, `sqlite.db.query`, ioredis, redis, pino, the console, Node's warnings, Nest's logger, and pg, postgres.js,
 * better-sqlite3, `node:sqlite`, winston and nodemailer if they are loaded. Each starts once per process, no matter how
 * often this is called, and reports to the current request's recording; outside recorded requests it does nothing.
 * `recorder` records jobs.
 */
export function startInstrumentations(options: InstrumentationOptions = {}): StartedInstrumentations {
  checkOptions('startInstrumentations()', options, instrumentationSchema);
  const { recorder } = options;
  if (recorder !== undefined) recordJobsBy(recorder);
  const stop = openInstrumentations(libraries);
  const look = (): void => {
    libraries.look();
    undoOutput ??= instrumentOutput();
  };
  return { look, stop, ready: imported };
}
