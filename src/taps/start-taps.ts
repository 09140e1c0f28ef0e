import { LoadedModules, shareUndo, undoAll } from '#patches';
import { listenToRedis } from './cache/redis.js';
import { listenToNodeClient } from './calls/node-client.js';
import { listenToUndici } from './calls/undici.js';
import { type JobRecorder, recordJobsBy } from './jobs/bullmq.js';
import { tapConsole } from './logs/console.js';
import { listenToPino } from './logs/pino.js';
import { tapWinston } from './logs/winston.js';
import { tapMail } from './mail/nodemailer.js';
import { listenToMongoose } from './queries/mongoose.js';
import { listenToMysql2 } from './queries/mysql2.js';
import { tapPgClient, tapPgPool } from './queries/pg.js';
import { listenToSqlite } from './queries/sqlite.js';

/** Taps that are open for whoever started them. */
export interface StartedTaps {
  /** Asked at the beginning of each request: libraries that were loaded meanwhile are tapped. */
  look(): void;
  /** Closes them where nobody else needs them. A second call does nothing. */
  stop(): void;
}

/** Libraries that publish nothing. */
const libraries = new LoadedModules([
  { file: 'pg/lib/client.js', patch: tapPgClient },
  { file: 'pg-pool/index.js', patch: tapPgPool },
  { file: 'winston/lib/winston/logger.js', patch: tapWinston },
  { file: 'nodemailer/lib/mailer/index.js', patch: tapMail },
  { file: 'nodemailer/dist/cjs/mailer/index.js', patch: tapMail },
]);
const modules = new LoadedModules([{ file: 'nodemailer/dist/esm/mailer/index.js', patch: tapMail }]);

const openTaps = shareUndo(() => {
  void modules.import(process.argv[1] ?? '');
  return undoAll([
    listenToUndici(),
    listenToNodeClient(),
    listenToMysql2(),
    listenToMongoose(),
    listenToSqlite(),
    listenToRedis(),
    listenToPino(),
    tapConsole(),
    () => libraries.undo(),
    () => modules.undo(),
    () => recordJobsBy(undefined),
  ]);
});

/**
 * Opens the taps that need no word of the application: undici and `fetch`, `node:http`, mysql2, Mongoose, `sqlite.db.query`, ioredis,
 * redis, pino, the console, and pg, winston and nodemailer where they are loaded. Each is opened once a process, whoever asks, and writes to
 * the recording of the request that it is used in; outside of recorded requests it does nothing. `recorder` keeps the records of jobs.
 */
export function startTaps({ recorder }: { readonly recorder?: () => JobRecorder } = {}): StartedTaps {
  if (recorder !== undefined) recordJobsBy(recorder);
  return { look: () => libraries.look(), stop: openTaps(libraries) };
}
