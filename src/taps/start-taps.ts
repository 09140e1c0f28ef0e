import { type KnownModule, LoadedModules, shareUndo, type Undo, undoAll } from '#patches';
import { listenToRedis } from './cache/redis.js';
import { listenToNodeClient } from './calls/node-client.js';
import { tapGot, tapSuperagent } from './calls/call-places.js';
import { listenToUndici } from './calls/undici.js';
import { tapAmqpChannel } from './jobs/amqp.js';
import { type JobRecorder, recordJobsBy } from './jobs/run-job.js';
import { tapConsole, tapNestLogger, tapWinston } from './logs/loggers.js';
import { listenToPino, tapOutput } from './logs/logger-output.js';
import { tapNodeWarnings } from './logs/node-warnings.js';
import { tapGraphqlErrors, tapTrpcErrors } from './failures/resolver-errors.js';
import { tapMail } from './mail/nodemailer.js';
import { listenToMongoose } from './queries/mongo.js';
import { listenToMysql2 } from './queries/query-clients.js';
import { tapPgClient, tapPgPool } from './queries/pg.js';
import { tapPostgresQueries } from './queries/postgres.js';
import { tapTypeormCalls } from './queries/orms.js';
import { listenToSqlite, tapBetterSqlite, tapExec, tapNodeStatements } from './queries/sqlite.js';

/** The taps that one caller has opened. */
export interface StartedTaps {
  /** Taps libraries that have been loaded since the last call. Call it at the start of each request. */
  look(): void;
  /** Closes the taps if no other caller needs them. A second call does nothing. */
  stop(): void;
  /** Resolves when the libraries that are ECMAScript modules are tapped. */
  readonly ready: Promise<void>;
}

const nestLogger: KnownModule = {
  file: '@nestjs/common/services/console-logger.service.js',
  name: 'ConsoleLogger',
  // `reflect-metadata`, which every program that uses Nest loads first, defines this method.
  isUsed: () => 'getMetadata' in Reflect,
  patch: tapNestLogger,
};

/** Libraries without diagnostics channels. */
const libraries = new LoadedModules([
  { file: 'pg/lib/client.js', patch: tapPgClient },
  { file: 'pg-pool/index.js', patch: tapPgPool },
  { file: 'postgres/cjs/src/query.js', name: 'Query', patch: tapPostgresQueries },
  { file: 'better-sqlite3/lib/database.js', patch: tapBetterSqlite },
  { file: 'winston/lib/winston/logger.js', patch: tapWinston },
  { file: 'nodemailer/lib/mailer/index.js', patch: tapMail },
  { file: 'nodemailer/dist/cjs/mailer/index.js', patch: tapMail },
  nestLogger,
  { file: 'superagent/lib/node/index.js', name: 'Request', patch: tapSuperagent },
  ...['channel_model', 'callback_model'].flatMap((file) =>
    ['Channel', 'ConfirmChannel'].map((name) => ({
      file: `amqplib/lib/${file}.js`,
      name,
      patch: tapAmqpChannel,
    })),
  ),
  { file: 'graphql/error/GraphQLError.js', name: 'GraphQLError', patch: tapGraphqlErrors },
  { file: '@trpc/server/dist/index.cjs', name: 'TRPCError', patch: tapTrpcErrors },
  { file: 'typeorm/data-source/DataSource.js', name: 'DataSource', patch: tapTypeormCalls },
  { file: 'typeorm/entity-manager/EntityManager.js', name: 'EntityManager', patch: tapTypeormCalls },
  ...['Select', 'Insert', 'Update', 'Delete', 'SoftDelete'].map((kind) => ({
    file: `typeorm/query-builder/${kind}QueryBuilder.js`,
    name: `${kind}QueryBuilder`,
    patch: tapTypeormCalls,
  })),
  { file: 'node:sqlite', name: 'StatementSync', patch: tapNodeStatements },
  { file: 'node:sqlite', name: 'DatabaseSync', patch: tapExec },
]);
const modules = new LoadedModules([
  { file: 'nodemailer/dist/esm/mailer/index.js', patch: tapMail },
  { file: 'postgres/src/query.js', name: 'Query', patch: tapPostgresQueries },
  { file: 'got/dist/source/core/index.js', patch: tapGot },
  nestLogger,
  { file: 'graphql/error/GraphQLError.mjs', name: 'GraphQLError', patch: tapGraphqlErrors },
  { file: '@trpc/server/dist/index.mjs', name: 'TRPCError', patch: tapTrpcErrors },
]);

let undoOutput: Undo | undefined; // of the process, like its output
let imported = Promise.resolve(); // settles when the open taps have imported ECMAScript modules

const openTaps = shareUndo(() => {
  imported = modules.import(process.argv[1] ?? '');
  return undoAll([
    listenToUndici(),
    listenToNodeClient(),
    listenToMysql2(),
    listenToMongoose(),
    listenToSqlite(),
    listenToRedis(),
    listenToPino(),
    tapConsole(),
    tapNodeWarnings(),
    () => {
      undoOutput?.();
      undoOutput = undefined;
    },
    () => libraries.undo(),
    () => modules.undo(),
    () => recordJobsBy(undefined),
  ]);
});

/**
 * Opens the taps that need no call from the application: undici and `fetch`, `node:http`, mysql2, Mongoose,
 * `sqlite.db.query`, ioredis, redis, pino, the console, Node's warnings, Nest's logger, and pg, postgres.js, better-sqlite3, `node:sqlite`, winston and nodemailer if
 * they are loaded. Each is opened once per process, however many callers there are, and writes to the recording of the
 * current request; outside of recorded requests it does nothing. `recorder` keeps the records of jobs.
 */
export function startTaps({ recorder }: { readonly recorder?: () => JobRecorder } = {}): StartedTaps {
  if (recorder !== undefined) recordJobsBy(recorder);
  const stop = openTaps(libraries);
  const look = (): void => {
    libraries.look();
    undoOutput ??= tapOutput();
  };
  return { look, stop, ready: imported };
}
