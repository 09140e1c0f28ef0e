import { randomBytes, randomInt } from 'node:crypto';
import { listColumns } from '../../model/profile-summary.js';
import type { SqlDialect, SqlRow, Tables } from './sql-database.js';
import { storeErrors } from './store-errors.js';
import type { PruneReason } from '../../model/record-lookup.js';

/** The tables' version. The first process that writes renames an older version's store; a newer store is refused. */
export const schemaVersion = 20;

/** Maximum number of records per batch. A record's position is its batch's position plus its index in the batch. */
export const placesOfBatch = 1024;

export function tableStatements({ types, toReadable }: SqlDialect): string[] {
  const columns = listColumns.map(
    ({ name, type, isNullable }) =>
      `${name} ${types[type === 'time' ? 'real' : type]}${isNullable ? '' : ' NOT NULL'}`,
  );
  // Columns for a readable view of application responses, with times as timestamps.
  const hidden = new Set(['origin', 'closed_at', 'duration_class', 'sequence']);
  const shown = listColumns
    .filter(({ name }) => !hidden.has(name))
    .map(({ name, type }) => (type === 'time' ? `${toReadable(name)} AS ${name}` : name));
  return [
    `CREATE TABLE @meta (name ${types.text} PRIMARY KEY, value ${types.text} NOT NULL)`,
    `CREATE TABLE @batch (id ${types.id} PRIMARY KEY, written_at ${types.real} NOT NULL, bytes ${types.integer} NOT NULL, data ${types.bytes} NOT NULL)`,
    `CREATE TABLE @record (position ${types.id} PRIMARY KEY, id ${types.id} NOT NULL UNIQUE,
      ${columns.join(', ')},
      numbers ${types.json} NOT NULL, note ${types.text}, late ${types.text}, kept ${types.integer} NOT NULL DEFAULT 0)`,
    // Lists read the first index in order until a page is full. More indexes would cost more in writes than they save.
    'CREATE INDEX record_closed ON @record (origin, closed_at, id)',
    'CREATE INDEX record_error ON @record (origin, closed_at, id) WHERE error_class IS NOT NULL',
    'CREATE INDEX record_kept ON @record (position) WHERE kept = 1',
    `CREATE VIEW @requests AS SELECT ${shown.join(', ')}, numbers, note FROM @record WHERE origin = 'app'`,
  ];
}

/** Returns a store's initial metadata. */
export function newMeta(): readonly (readonly [name: string, value: string])[] {
  return [
    ['version', String(schemaVersion)],
    // Positions name the store they belong to.
    ['store', randomBytes(6).toString('hex')],
    // Starts at a random id, so that a store that replaces another does not reissue its tokens.
    ['next', String(randomInt(2 ** 12) * 1024)],
  ];
}

/** Throws if the tables have another version or, for readers, do not exist. */
export function checkVersion(
  { path, isReadOnly = false }: { readonly path: string; readonly isReadOnly?: boolean | undefined },
  found: number | undefined,
): void {
  if (found === schemaVersion || (found === undefined && !isReadOnly)) return;
  if (found === undefined) throw storeErrors.create('PROFILER_STORE_ABSENT', { path });
  const code = found > schemaVersion ? 'PROFILER_STORE_NEWER' : 'PROFILER_STORE_OLDER';
  throw storeErrors.create(code, { path, found, known: schemaVersion });
}

export const pruneReasons: readonly PruneReason[] = ['count', 'age', 'bytes', 'purge'];

/** Name of the metadata with the application's routes, which is read only for them. */
export const routesName = 'routes';

/** A store's numeric metadata. */
type MetaNumber =
  // First id neither reserved nor stored, and number of the newest batch.
  | 'next'
  | 'batch'
  // Record counts by origin (excluding marked and kept ones), marked and kept record counts, and bytes of all batches.
  | 'app'
  | 'profiler'
  | 'marked'
  | 'kept'
  | 'bytes'
  // Milliseconds since the oldest batch was written; NaN if there is none.
  | 'age'
  // The same for the oldest failure that is kept separately.
  | 'kept_age'
  // Greatest id removed, by reason.
  | `pruned_${PruneReason}`;

/** A store's metadata, and the changes made to it by a transaction. */
export class StoreMeta {
  readonly #values: Map<string, string>;
  readonly #changed = new Set<MetaNumber>();

  constructor(rows: readonly SqlRow[]) {
    this.#values = new Map(rows.map(({ name, value }) => [String(name), String(value)]));
  }

  get store(): string {
    return this.#values.get('store') ?? '';
  }

  get(name: MetaNumber): number {
    const otherwise = name.startsWith('pruned') ? -1 : 0;
    const value = Number(this.#values.get(name) ?? otherwise);
    // Damaged values must not spread into derived counts. Only ages may be missing, in a store without records.
    return Number.isFinite(value) || name === 'age' || name === 'kept_age' ? value : otherwise;
  }

  set(name: MetaNumber, value: number): void {
    if (this.get(name) === value) return;
    this.#values.set(name, String(value));
    this.#changed.add(name);
  }

  add(name: MetaNumber, amount: number): void {
    this.set(name, this.get(name) + amount);
  }

  async save({ run }: Tables): Promise<void> {
    const names = [...this.#changed];
    if (names.length === 0) return;
    await run(
      `INSERT INTO @meta (name, value)
       VALUES ${names.map((_, at) => `($${at * 2 + 1}, $${at * 2 + 2})`).join(', ')}
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      names.flatMap((name) => [name, String(this.get(name))]),
    );
  }
}

/** Reads a store's metadata. Batches with pinned records have no age, because no limit removes them. */
export async function readMeta({ run, now }: Tables): Promise<StoreMeta> {
  const oldest = `SELECT ${now} - written_at FROM @batch WHERE id > 0 ORDER BY id LIMIT 1`;
  const kept = `SELECT ${now} - written_at FROM @batch WHERE id = -(SELECT min(position) FROM @record WHERE kept = 1)`;
  return new StoreMeta(
    await run(
      `SELECT name, value FROM @meta WHERE name <> '${routesName}' UNION ALL SELECT 'age', CAST((${oldest}) AS TEXT)
       UNION ALL SELECT 'kept_age', CAST((${kept}) AS TEXT)`,
    ),
  );
}
