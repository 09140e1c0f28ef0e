import { randomBytes } from 'node:crypto';
import { storeErrors } from '../policy/error-codes.js';
import { type TokenState, tokenStateOf } from '../tokens/token-state.js';
import type { PostgresConnection, Statements } from './postgres-connection.js';

/**
 * Version of these tables. A newer lookback may have changed them: `oldest` in `meta` is the oldest version that may
 * still write.
 */
const schemaVersion = 2;
/**
 * Returns the expression for an advisory lock of a schema (given as a quoted identifier). One process at a time
 * prepares the schema, prunes, or builds blocks. Writers share the lock `write`, so that a process that holds it
 * exclusively knows that no write is in progress.
 */
export function lockOf(work: 'prepare' | 'prune' | 'write' | 'index', schema: string): string {
  return `hashtextextended('lookback ${work} ${schema.replaceAll("'", "''")}', 0)`;
}

/**
 * Number of segment ids per millisecond. Ids are based on the server's time of writing, so that they are in order of
 * time and a day is a range of ids.
 */
export const idsOfMillisecond = 2048;
const idsOfDay = 86_400_000 * idsOfMillisecond;

/** Returns `count` new segment ids, greater than those in all blocks even if the server's clock went back. */
export async function newSegmentIds(statements: Statements, count: number): Promise<readonly number[]> {
  const rows = await statements.rows(
    `SELECT greatest((extract(epoch FROM clock_timestamp()) * 1000)::bigint, (SELECT max(last) FROM block) / ${idsOfMillisecond} + 1) AS at,
       nextval('segment_number') % ${idsOfMillisecond} AS number FROM generate_series(1, $1)`,
    [count],
  );
  let before = 0;
  return rows.map((row) => {
    before = Math.max(before + 1, Number(row['at']) * idsOfMillisecond + Number(row['number']));
    return before;
  });
}

/** Returns the lowest id that a segment written at `time` can have. */
export function idAt(time: number): number {
  return Math.floor(time) * idsOfMillisecond;
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
    closed_at double precision NOT NULL, records integer NOT NULL, gone integer NOT NULL DEFAULT 0, bytes bigint NOT NULL,
    facts text NOT NULL, keys bytea NOT NULL, directory bytea NOT NULL, body bytea NOT NULL
  ) PARTITION BY RANGE (id);
  ALTER TABLE segment ALTER directory SET STORAGE EXTERNAL, ALTER body SET STORAGE EXTERNAL;
  CREATE INDEX ON segment (bucket, id);
  CREATE TABLE key_range (start bigint NOT NULL, stop bigint NOT NULL, segment bigint NOT NULL) PARTITION BY RANGE (segment);
  CREATE INDEX ON key_range (start);
  CREATE INDEX ON key_range (segment);
  CREATE SEQUENCE block_number;
  CREATE TABLE block (
    id bigint PRIMARY KEY, bucket text NOT NULL, first bigint NOT NULL, last bigint NOT NULL,
    rows integer NOT NULL, head text NOT NULL
  );
  CREATE INDEX ON block (last);
  CREATE TABLE chunk (id bigint PRIMARY KEY, data bytea NOT NULL);
  ALTER TABLE chunk ALTER data SET STORAGE EXTERNAL;`;

/**
 * Creates the schema and its tables, under a lock. Renames the schema if its tables are of an older version, and
 * returns its new name, otherwise null. Throws `PROFILER_STORE_NEWER` if the tables are of a version that this one must
 * not write.
 */
export async function preparePostgresSchema(
  connection: PostgresConnection,
  { schema, name, tokenState }: { schema: string; name: string; tokenState: TokenState | undefined },
): Promise<string | null> {
  return connection.transaction(async (transaction) => {
    await transaction.rows(`BEGIN; SELECT pg_advisory_xact_lock(${lockOf('prepare', quote(schema))})`);
    const found = await findTables(transaction, schema);
    if (found.meta === undefined) {
      await makeTables(transaction, { schema, isThere: found.isThere, tokenState });
      return null;
    }
    const [version, oldest] = [Number(found.meta.get('version')), Number(found.meta.get('oldest'))];
    if (oldest > schemaVersion)
      throw storeErrors.create('PROFILER_STORE_NEWER', { path: name, found: version, known: schemaVersion });
    if (version >= schemaVersion) return null;
    const aside = `${schema}_version_${version}`;
    await transaction.rows(`ALTER SCHEMA ${quote(schema)} RENAME TO ${quote(aside)}`);
    const [secret, next] = [String(found.meta.get('secret')), Number(found.meta.get('next'))];
    const kept = tokenState ?? tokenStateOf({ secret, to: next });
    await makeTables(transaction, { schema, isThere: false, tokenState: kept });
    // Records that were in the renamed schema are reported as set aside.
    await transaction.rows(`INSERT INTO meta VALUES ('aside', $1)`, [aside]);
    return aside;
  });
}

/** Returns the secret of the tokens, for readers. Creates nothing. Throws `PROFILER_STORE_ABSENT`. */
export async function readSecret(
  statements: Statements,
  { schema, name }: { schema: string; name: string },
): Promise<string> {
  const { meta } = await findTables(statements, schema);
  if (meta === undefined) throw storeErrors.create('PROFILER_STORE_ABSENT', { path: name });
  return String(meta.get('secret'));
}

async function findTables(
  statements: Statements,
  schema: string,
): Promise<{ isThere: boolean; meta: ReadonlyMap<unknown, unknown> | undefined }> {
  const [found] = await statements.rows(
    'SELECT to_regnamespace($1) IS NOT NULL AS schema, to_regclass($2) IS NOT NULL AS tables',
    [quote(schema), `${quote(schema)}.meta`],
  );
  const isThere = found?.['schema'] === true;
  if (found?.['tables'] !== true) return { isThere, meta: undefined };
  const rows = await statements.rows(`SELECT name, value FROM ${quote(schema)}.meta`);
  return { isThere, meta: new Map(rows.map((row) => [row['name'], row['value']])) };
}

async function makeTables(
  statements: Statements,
  { schema, isThere, tokenState }: { schema: string; isThere: boolean; tokenState: TokenState | undefined },
): Promise<void> {
  if (!isThere) await statements.rows(`CREATE SCHEMA ${quote(schema)}`);
  await statements.rows(`SET LOCAL search_path TO ${quote(schema)}; ${tables}`);
  await statements.rows(
    `INSERT INTO meta VALUES ('version', $1), ('oldest', $1), ('secret', $2), ('next', $3)`,
    [
      String(schemaVersion),
      tokenState?.secret ?? randomBytes(16).toString('hex'),
      String(tokenState?.next ?? 0),
    ],
  );
}

/** Creates the partitions for the current and the next day, by the server's clock. */
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
  const range = `FOR VALUES FROM (${day * idsOfDay}) TO (${(day + 1) * idsOfDay})`;
  return `
    CREATE TABLE IF NOT EXISTS segment_${date} PARTITION OF segment ${range};
    CREATE TABLE IF NOT EXISTS key_range_${date} PARTITION OF key_range ${range}`;
}

/** Returns the first id after the partition of this name (`segment_20261122`). */
export function endOfPartition(name: string): number {
  const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  return idAt(Date.UTC(Number(year), Number(month) - 1, Number(day) + 1));
}

/** Returns the channel that announces writes. */
export function channelOf(schema: string): string {
  return quote(`lookback ${schema.replaceAll('"', '')}`.slice(0, 60));
}

export function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
