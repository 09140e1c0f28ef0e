import { randomBytes } from 'node:crypto';
import { baseColumns, type ColumnKind } from '../../form/summary-columns.js';
import { storeErrors } from '../policy/error-codes.js';
import type { Heritage } from '../tokens/heritage.js';
import type { PostgresConnection, Statements } from './postgres-connection.js';

/** `schemaVersion`: of these tables. A newer lookback may have changed them; `oldest` is the version it still lets write. */
const schemaVersion = 1;
/** Lock of a schema (as an identifier): processes prepare it one after the other, and one at a time prunes. */
export function lockOf(work: 'prepare' | 'prune', schema: string): string {
  return `hashtextextended('lookback ${work} ${schema.replaceAll("'", "''")}', 0)`;
}

const types: Readonly<Record<ColumnKind, string>> = {
  count: 'double precision',
  step: 'double precision',
  ms: 'double precision',
  time: 'double precision',
  word: 'text',
  text: 'text',
  same: 'text',
};

/** How texts are compared without regard to case, the same as in a program: by ICU where the server has it. */
export function sqlLower(text: string, { hasIcu }: { readonly hasIcu: boolean }): string {
  return hasIcu ? `lower(${text} COLLATE "und-x-icu")` : `lower(${text})`;
}

export function columnOf(name: string): string {
  return name === 'user' ? 'user_name' : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Ids of segments are the server's milliseconds at which they were written, times 2^20, so that they are in order of
 * time and a day is a range of them.
 */
const idsOfDay = 86_400_000n << 20n;
export const newSegmentId = `((extract(epoch FROM clock_timestamp()) * 1000)::bigint << 20) + (nextval('segment_number') & 1048575)`;

export function writtenAtOf(segment: string): number {
  return Number(BigInt(segment) >> 20n);
}

const tables = `
  CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL);
  CREATE TABLE process (
    id bigint PRIMARY KEY, host text NOT NULL, pid integer NOT NULL, version text NOT NULL,
    started_at double precision NOT NULL, seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    is_over boolean NOT NULL DEFAULT false, last_number bigint NOT NULL DEFAULT -1,
    made bigint NOT NULL DEFAULT 0, dropped bigint NOT NULL DEFAULT 0, pending bigint NOT NULL DEFAULT 0,
    app bigint NOT NULL DEFAULT 0, profiler bigint NOT NULL DEFAULT 0, bytes bigint NOT NULL DEFAULT 0,
    renamed bigint NOT NULL DEFAULT 0, pruned_count bigint NOT NULL DEFAULT 0, pruned_age bigint NOT NULL DEFAULT 0,
    pruned_bytes bigint NOT NULL DEFAULT 0, pruned_purge bigint NOT NULL DEFAULT 0
  );
  CREATE TABLE lease (start bigint PRIMARY KEY, stop bigint NOT NULL, process bigint NOT NULL);
  CREATE TABLE pruned (start bigint PRIMARY KEY, stop bigint NOT NULL, reason text NOT NULL);
  CREATE SEQUENCE segment_number;
  CREATE TABLE segment (
    id bigint PRIMARY KEY, process bigint NOT NULL, bucket text NOT NULL, started_at double precision NOT NULL,
    closed_at double precision NOT NULL, records integer NOT NULL, gone integer NOT NULL DEFAULT 0,
    bytes bigint NOT NULL, directory bytea NOT NULL, body bytea NOT NULL
  ) PARTITION BY RANGE (id);
  ALTER TABLE segment ALTER directory SET STORAGE EXTERNAL, ALTER body SET STORAGE EXTERNAL;
  CREATE INDEX ON segment (bucket, id);
  CREATE TABLE record (
    segment bigint NOT NULL, place integer NOT NULL, key bigint NOT NULL, bucket text NOT NULL,
    collected jsonb NOT NULL, PRIMARY KEY (segment, place)
  ) PARTITION BY RANGE (segment);`;

/** Made behind the columns. */
function indexesOf(lowerRoute: string): string {
  return `
    CREATE INDEX ON record (status, segment, place);
    CREATE INDEX ON record (${lowerRoute}, segment, place);
    CREATE INDEX ON record (segment, place) WHERE error_class IS NOT NULL;
    CREATE INDEX ON record (duration_ms)`;
}

/**
 * Makes the schema and its tables, or adds what this version knows and they lack, one process after the other. Throws
 * `PROFILER_STORE_NEWER` where they are of a version that this one must not write.
 */
export async function preparePostgresSchema(
  connection: PostgresConnection,
  { schema, name, heritage }: { schema: string; name: string; heritage: Heritage | undefined },
): Promise<{ hasIcu: boolean }> {
  return connection.transaction(async (transaction) => {
    await transaction.rows(`BEGIN; SELECT pg_advisory_xact_lock(${lockOf('prepare', quote(schema))})`);
    const [found] = await transaction.rows(
      `SELECT to_regnamespace($1) IS NOT NULL AS schema, to_regclass($2) IS NOT NULL AS tables,
         EXISTS (SELECT 1 FROM pg_collation WHERE collname = 'und-x-icu') AS icu`,
      [quote(schema), `${quote(schema)}.meta`],
    );
    if (found?.['schema'] !== true) await transaction.rows(`CREATE SCHEMA ${quote(schema)}`);
    await transaction.rows(`SET LOCAL search_path TO ${quote(schema)}`);
    const isNew = found?.['tables'] !== true;
    if (isNew) await makeTables(transaction, heritage);
    const meta = new Map(
      (await transaction.rows('SELECT name, value FROM meta')).map((row) => [row['name'], row['value']]),
    );
    if (Number(meta.get('oldest')) > schemaVersion)
      throw storeErrors.create('PROFILER_STORE_NEWER', {
        path: name,
        found: Number(meta.get('version')),
        known: schemaVersion,
      });
    await addColumns(transaction, schema);
    const hasIcu = found?.['icu'] === true;
    if (isNew) await transaction.rows(indexesOf(sqlLower('route', { hasIcu })));
    if (Number(meta.get('version')) < schemaVersion)
      await transaction.rows(`UPDATE meta SET value = '${schemaVersion}' WHERE name = 'version'`);
    return { hasIcu };
  });
}

async function makeTables(statements: Statements, heritage: Heritage | undefined): Promise<void> {
  await statements.rows(tables);
  await statements.rows(
    `INSERT INTO meta VALUES ('version', $1), ('oldest', $1), ('secret', $2), ('next', $3)`,
    [String(schemaVersion), heritage?.secret ?? randomBytes(16).toString('hex'), String(heritage?.next ?? 0)],
  );
}

/** Columns that summaries have and the table has not: a newer version brings them, and an older one leaves them empty. */
async function addColumns(statements: Statements, schema: string): Promise<void> {
  const there = await statements.rows(
    `SELECT column_name FROM information_schema.columns WHERE table_schema = $1 AND table_name = 'record'`,
    [schema],
  );
  const names = new Set(there.map((row) => row['column_name']));
  const missing = baseColumns.filter(({ name }) => !names.has(columnOf(name)));
  if (missing.length > 0)
    await statements.rows(
      `ALTER TABLE record ${missing.map(({ name, kind }) => `ADD COLUMN ${columnOf(name)} ${types[kind]}`).join(', ')}`,
    );
}

/** Makes the partitions of today and tomorrow, by the server's clock. */
export async function makePartitions(connection: PostgresConnection, schema: string): Promise<void> {
  await connection.transaction(async (transaction) => {
    const [now] = await transaction.rows(
      `BEGIN; SET LOCAL search_path TO ${quote(schema)}; SET LOCAL lock_timeout = '2s';
       SELECT pg_advisory_xact_lock(${lockOf('prepare', quote(schema))});
       SELECT floor(extract(epoch FROM clock_timestamp()) / 86400)::integer AS day`,
    );
    const today = Number(now?.['day']);
    for (const day of [today, today + 1]) await transaction.rows(partitionsOf(day));
  });
}

function partitionsOf(day: number): string {
  const date = new Date(day * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
  const range = `FOR VALUES FROM (${BigInt(day) * idsOfDay}) TO (${BigInt(day + 1) * idsOfDay})`;
  return `
    CREATE TABLE IF NOT EXISTS segment_${date} PARTITION OF segment ${range};
    CREATE TABLE IF NOT EXISTS record_${date} PARTITION OF record ${range};
    CREATE UNIQUE INDEX IF NOT EXISTS record_${date}_key ON record_${date} (key)`;
}

/** First id behind the partition of this name (`record_20261122`). */
export function endOfPartition(name: string): bigint {
  const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  return BigInt(Date.UTC(Number(year), Number(month) - 1, Number(day) + 1)) << 20n;
}

/** The channel that announces writes. */
export function channelOf(schema: string): string {
  return quote(`lookback ${schema.replaceAll('"', '')}`.slice(0, 60));
}

export function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
