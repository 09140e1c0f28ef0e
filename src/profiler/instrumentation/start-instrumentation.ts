import { type KnownModule, LoadedModules, shareUndo, type Undo, undoAll } from '#core/patches';
import { listenToRedis } from './cache/redis.js';
import { listenToNodeClient } from './calls/node-client.js';
import { instrumentHttp2Sessions } from './calls/http2-client.js';
import { instrumentGot, instrumentSuperagent } from './calls/call-locations.js';
import { listenToUndici } from './calls/undici.js';
import { instrumentAmqpChannel } from './jobs/amqp.js';
import { type JobRecorder, recordJobsBy } from './jobs/run-job.js';
import { instrumentConsole, instrumentNestLogger, instrumentWinston } from './logs/loggers.js';
import { listenToPino, instrumentOutput } from './logs/logger-output.js';
import { instrumentNodeWarnings } from './logs/node-warnings.js';
import { instrumentGraphqlErrors, instrumentTrpcErrors } from './failures/resolver-errors.js';
import { instrumentMail } from './mail/nodemailer.js';
import { listenToMongoose } from './queries/mongo.js';
import { listenToMysql2 } from './queries/query-clients.js';
import { instrumentPgClient, instrumentPgPool } from './queries/pg.js';
import { instrumentPostgresQueries } from './queries/postgres.js';
import { instrumentTypeormCalls } from './queries/orms.js';
import {
  listenToSqlite,
  instrumentBetterSqlite,
  instrumentExec,
  instrumentNodeStatements,
} from './queries/sqlite.js';

/** The instrumentations that one caller has opened. */
export interface StartedInstrumentations {
  /** Instruments libraries that have been loaded since the last call. Call it at the start of each request. */
  look(): void;
  /** Closes the instrumentations if no other caller needs them. A second call does nothing. */
  stop(): void;
  /** Resolves when the libraries that are ECMAScript modules are instrumented. */
  readonly ready: Promise<void>;
}

const nestLogger: KnownModule = {
  file: '@nestjs/common/services/console-logger.service.js',
  name: 'ConsoleLogger',
  // `reflect-metadata`, which every program that uses Nest loads first, defines this method.
  isUsed: () => 'getMetadata' in Reflect,
  patch: instrumentNestLogger,
};

/** Libraries without diagnostics channels. */
const libraries = new LoadedModules([
  { file: 'pg/lib/client.js', patch: instrumentPgClient },
  { file: 'pg-pool/index.js', patch: instrumentPgPool },
  { file: 'postgres/cjs/src/query.js', name: 'Query', patch: instrumentPostgresQueries },
  { file: 'better-sqlite3/lib/database.js', patch: instrumentBetterSqlite },
  { file: 'winston/lib/winston/logger.js', patch: instrumentWinston },
  { file: 'nodemailer/lib/mailer/index.js', patch: instrumentMail },
  { file: 'nodemailer/dist/cjs/mailer/index.js', patch: instrumentMail },
  nestLogger,
  { file: 'superagent/lib/node/index.js', name: 'Request', patch: instrumentSuperagent },
  ...['channel_model', 'callback_model'].flatMap((file) =>
    ['Channel', 'ConfirmChannel'].map((name) => ({
      file: `amqplib/lib/${file}.js`,
      name,
      patch: instrumentAmqpChannel,
    })),
  ),
  { file: 'graphql/error/GraphQLError.js', name: 'GraphQLError', patch: instrumentGraphqlErrors },
  { file: '@trpc/server/dist/index.cjs', name: 'TRPCError', patch: instrumentTrpcErrors },
  { file: 'typeorm/data-source/DataSource.js', name: 'DataSource', patch: instrumentTypeormCalls },
  { file: 'typeorm/entity-manager/EntityManager.js', name: 'EntityManager', patch: instrumentTypeormCalls },
  ...['Select', 'Insert', 'Update', 'Delete', 'SoftDelete'].map((kind) => ({
    file: `typeorm/query-builder/${kind}QueryBuilder.js`,
    name: `${kind}QueryBuilder`,
    patch: instrumentTypeormCalls,
  })),
  { file: 'node:sqlite', name: 'StatementSync', patch: instrumentNodeStatements },
  { file: 'node:sqlite', name: 'DatabaseSync', patch: instrumentExec },
  { file: 'node:http2', name: 'connect', patch: instrumentHttp2Sessions },
]);
const modules = new LoadedModules([
  { file: 'nodemailer/dist/esm/mailer/index.js', patch: instrumentMail },
  { file: 'postgres/src/query.js', name: 'Query', patch: instrumentPostgresQueries },
  { file: 'got/dist/source/core/index.js', patch: instrumentGot },
  nestLogger,
  { file: 'graphql/error/GraphQLError.mjs', name: 'GraphQLError', patch: instrumentGraphqlErrors },
  { file: '@trpc/server/dist/index.mjs', name: 'TRPCError', patch: instrumentTrpcErrors },
]);

let undoOutput: Undo | undefined; // of the process, like its output
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
    () => libraries.undo(),
    () => modules.undo(),
    () => recordJobsBy(undefined),
  ]);
});

/**
 * Opens the instrumentations that need no call from the application: undici and `fetch`, `node:http`, mysql2, Mongoose,
 * `sqlite.db.query`, ioredis, redis, pino, the console, Node's warnings, Nest's logger, and pg, postgres.js, better-sqlite3, `node:sqlite`, winston and nodemailer if
 * they are loaded. Each is opened once per process, however many callers there are, and writes to the recording of the
 * current request; outside of recorded requests it does nothing. `recorder` keeps the records of jobs.
 */
export function startInstrumentations({
  recorder,
}: { readonly recorder?: () => JobRecorder } = {}): StartedInstrumentations {
  if (recorder !== undefined) recordJobsBy(recorder);
  const stop = openInstrumentations(libraries);
  const look = (): void => {
    libraries.look();
    undoOutput ??= instrumentOutput();
  };
  return { look, stop, ready: imported };
}
