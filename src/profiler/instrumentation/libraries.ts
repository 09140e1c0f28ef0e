import { describeVersions, findVersion, isVersionIn, type KnownModule } from '#core/patches';
import type { SkippedPackage } from '#core/patches';
import { instrumentGot, instrumentSuperagent } from './calls/call-locations.js';
import { instrumentHttp2Sessions } from './calls/http2-client.js';
import { instrumentGraphqlErrors, instrumentTrpcErrors } from './failures/resolver-errors.js';
import { instrumentAmqpChannel } from './jobs/amqp.js';
import { instrumentNestLogger, instrumentWinston } from './logs/loggers.js';
import { instrumentedFrameworks, type KnownLibrary } from './frameworks.js';
import { instrumentMail } from './mail/nodemailer.js';
import { instrumentMikroOrmCalls, instrumentTypeormCalls } from './queries/orms.js';
import { instrumentPgClient, instrumentPgPool } from './queries/pg.js';
import { instrumentMysqlPool, instrumentTarnPool } from './queries/pool-waits.js';
import { instrumentPostgresQueries } from './queries/postgres.js';
import { instrumentBetterSqlite, instrumentExec, instrumentNodeStatements } from './queries/sqlite.js';

/** A library that is recorded without a call from the application. */
export interface InstrumentedLibrary extends KnownLibrary {
  /** Files loaded by `require`, or modules built into Node, and what to patch in them. */
  readonly modules?: readonly KnownModule[];
  /** The same for ECMAScript modules. */
  readonly imports?: readonly KnownModule[];
}

const nestLogger: KnownModule = {
  file: '@nestjs/common/services/console-logger.service.js',
  name: 'ConsoleLogger',
  // Defined by `reflect-metadata`, which every Nest program loads first.
  isUsed: () => 'getMetadata' in Reflect,
  patch: instrumentNestLogger,
};

const mikroOrm: readonly KnownModule[] = [
  {
    file: '@mikro-orm/core/unit-of-work/UnitOfWork.js',
    name: 'UnitOfWork',
    patch: instrumentMikroOrmCalls,
  },
  { file: '@mikro-orm/core/EntityManager.js', name: 'EntityManager', patch: instrumentMikroOrmCalls },
];

/** Files that export a database class. Since 13, each platform has its own besides, for bundlers. */
const betterSqliteFiles: readonly string[] = [
  'index',
  ...['linux', 'linuxmusl', 'darwin', 'win32'].flatMap((system) => [`${system}-x64`, `${system}-arm64`]),
];

/** All instrumented libraries except frameworks. Keep in step with docs/guides/instrumentation.md. */
export const instrumentedLibraries: readonly InstrumentedLibrary[] = [
  {
    name: 'pg',
    versions: ['8'],
    records: 'queries',
    modules: [{ file: 'pg/lib/client.js', patch: instrumentPgClient }],
  },
  {
    name: 'pg-pool',
    versions: ['3'],
    records: 'queries',
    modules: [{ file: 'pg-pool/index.js', patch: instrumentPgPool }],
  },
  {
    name: 'postgres',
    versions: ['3'],
    records: 'queries',
    modules: [{ file: 'postgres/cjs/src/query.js', name: 'Query', patch: instrumentPostgresQueries }],
    imports: [{ file: 'postgres/src/query.js', name: 'Query', patch: instrumentPostgresQueries }],
  },
  {
    name: 'mysql2',
    versions: ['3.20'],
    records: 'queries',
    publishes: true,
    modules: [{ file: 'mysql2/lib/base/pool.js', patch: instrumentMysqlPool }],
  },
  {
    name: 'tarn',
    versions: ['3'],
    records: 'waits for a Knex connection',
    modules: [{ file: 'tarn/dist/Pool.js', name: 'Pool', patch: instrumentTarnPool }],
  },
  { name: 'mongoose', versions: ['9.7'], records: 'queries', publishes: true },
  {
    name: 'better-sqlite3',
    versions: ['8', '9', '10', '11', '12', '13'],
    records: 'queries',
    modules: betterSqliteFiles.map((file) => ({
      file: `better-sqlite3/lib/${file}.js`,
      patch: instrumentBetterSqlite,
    })),
  },
  {
    name: 'typeorm',
    versions: ['0.3', '1'],
    records: 'query call sites',
    modules: [
      { file: 'typeorm/data-source/DataSource.js', name: 'DataSource', patch: instrumentTypeormCalls },
      {
        file: 'typeorm/entity-manager/EntityManager.js',
        name: 'EntityManager',
        patch: instrumentTypeormCalls,
      },
      ...['Select', 'Insert', 'Update', 'Delete', 'SoftDelete'].map((kind) => ({
        file: `typeorm/query-builder/${kind}QueryBuilder.js`,
        name: `${kind}QueryBuilder`,
        patch: instrumentTypeormCalls,
      })),
    ],
  },
  {
    name: '@mikro-orm/core',
    versions: ['6', '7'],
    records: 'query call sites',
    modules: mikroOrm,
    imports: mikroOrm,
  },
  {
    name: 'node:sqlite',
    versions: [],
    records: 'queries',
    modules: [
      { file: 'node:sqlite', name: 'StatementSync', patch: instrumentNodeStatements },
      { file: 'node:sqlite', name: 'DatabaseSync', patch: instrumentExec },
    ],
  },
  {
    name: 'node:http2',
    versions: [],
    records: 'outgoing calls',
    modules: [{ file: 'node:http2', name: 'connect', patch: instrumentHttp2Sessions }],
  },
  { name: 'ioredis', versions: ['5.11', '6'], records: 'commands', publishes: true },
  { name: '@redis/client', versions: ['5.12', '6'], records: 'commands', publishes: true },
  { name: 'pino', versions: ['9.8', '10'], records: 'log lines', publishes: true },
  {
    name: 'winston',
    versions: ['3'],
    records: 'log lines',
    modules: [{ file: 'winston/lib/winston/logger.js', patch: instrumentWinston }],
  },
  {
    name: '@nestjs/common',
    versions: ['9', '10', '11', '12'],
    records: 'log lines',
    modules: [nestLogger],
    imports: [nestLogger],
  },
  {
    name: 'nodemailer',
    versions: ['6', '7', '8', '9', '10'],
    records: 'emails',
    modules: ['lib', 'dist/cjs'].map((folder) => ({
      file: `nodemailer/${folder}/mailer/index.js`,
      patch: instrumentMail,
    })),
    imports: [{ file: 'nodemailer/dist/esm/mailer/index.js', patch: instrumentMail }],
  },
  {
    name: 'superagent',
    versions: ['8', '9', '10'],
    records: 'call sites',
    modules: [{ file: 'superagent/lib/node/index.js', name: 'Request', patch: instrumentSuperagent }],
  },
  {
    name: 'got',
    versions: ['12', '13', '14'],
    records: 'call sites',
    imports: [{ file: 'got/dist/source/core/index.js', patch: instrumentGot }],
  },
  {
    name: 'amqplib',
    versions: ['0.10', '1', '2'],
    records: 'messages',
    modules: ['channel_model', 'callback_model'].flatMap((file) =>
      ['Channel', 'ConfirmChannel'].map((name) => ({
        file: `amqplib/lib/${file}.js`,
        name,
        patch: instrumentAmqpChannel,
      })),
    ),
  },
  {
    name: 'graphql',
    versions: ['16', '17'],
    records: 'resolver errors',
    modules: [
      { file: 'graphql/error/GraphQLError.js', name: 'GraphQLError', patch: instrumentGraphqlErrors },
    ],
    imports: [
      { file: 'graphql/error/GraphQLError.mjs', name: 'GraphQLError', patch: instrumentGraphqlErrors },
    ],
  },
  {
    name: '@trpc/server',
    versions: ['10', '11'],
    records: 'procedure errors',
    modules: [{ file: '@trpc/server/dist/index.cjs', name: 'TRPCError', patch: instrumentTrpcErrors }],
    imports: [{ file: '@trpc/server/dist/index.mjs', name: 'TRPCError', patch: instrumentTrpcErrors }],
  },
];

/** Database drivers that are recorded only through a call. */
export const calledLibraries: readonly KnownLibrary[] = ['mysql', 'sqlite3', 'tedious', 'oracledb'].map(
  (name) => ({
    name,
    versions: [],
    records: 'queries',
  }),
);

/** All known libraries: those recorded without a call, frameworks included, and those recorded only through a call. */
export const knownLibraries: readonly KnownLibrary[] = [
  ...instrumentedLibraries,
  ...instrumentedFrameworks,
  ...calledLibraries,
];

/** Unsupported versions already reported by this process. */
const reported = new Set<string>();

/** Reports on stderr, in one line, that a library is not recorded. */
export function reportSkipped(skipped: SkippedPackage): void {
  if (skipped.versions.length === 0) return; // an application may record it by a call
  const line = describeSkipped(skipped);
  if (reported.has(line)) return;
  reported.add(line);
  process.stderr.write(`lookback: ${line}\n`);
}

/**
 * `express 3.21.2 is loaded; its middleware and handlers are not recorded: recorded versions are 4.x, 5.x`. Other facts may
 * be recorded, such as routes.
 */
export function describeSkipped({ name, version, versions, isLoaded }: SkippedPackage): string {
  const { records = '' } = knownLibraries.find((one) => one.name === name) ?? {};
  const how = isLoaded ? 'loaded' : 'installed';
  return `${name} ${version} is ${how}; its ${records} are not recorded: ${describeSupported(versions)}`;
}

/** `recorded versions are 4.x, 5.x`. */
export function describeSupported(versions: readonly string[]): string {
  if (versions.length === 0) return 'no version is recorded without a call of recordQueries or recordQuery';
  return `${versions.length === 1 ? 'the recorded version is' : 'recorded versions are'} ${describeVersions(versions)}`;
}

/**
 * Finds the libraries installed in a folder: those that are recorded without a call, and those with unsupported
 * versions.
 */
export function findLibraries(folder: string): {
  readonly recorded: readonly string[];
  readonly skipped: readonly SkippedPackage[];
} {
  const found = knownLibraries.flatMap(({ name, versions }): readonly SkippedPackage[] => {
    const version = versions.length === 0 ? undefined : findVersion(name, `${folder}/package.json`);
    return version === undefined ? [] : [{ name, versions, version, isLoaded: false }];
  });
  const fits = ({ version, versions }: SkippedPackage): boolean =>
    versions.some((line) => isVersionIn(version, line));
  return {
    recorded: found.filter(fits).map(({ name, version }) => `${name} ${version}`),
    skipped: found.filter((one) => !fits(one)),
  };
}
