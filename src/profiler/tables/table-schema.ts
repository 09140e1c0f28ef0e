import { randomBytes, randomInt } from 'node:crypto';
import { listColumns } from '../record/columns.js';
import type { SqlDialect } from './sql-database.js';
import { storeErrors } from './store-errors.js';

/** Version of the tables. A store of an older version is renamed by the first process that writes, a newer one is refused. */
export const schemaVersion = 15;

/** A batch has at most this many records; the position of a record is that of its batch plus its place there. */
export const placesOfBatch = 1024;

/** Returns the statements that create the tables, their indexes and the view `requests`. */
export function tableStatements({ types, toReadable }: SqlDialect): string[] {
  const columns = listColumns.map(
    ({ name, type, isNullable }) =>
      `${name} ${types[type === 'time' ? 'real' : type]}${isNullable ? '' : ' NOT NULL'}`,
  );
  // What an application answered, for people: with times as times.
  const hidden = new Set(['bucket', 'closed_at', 'duration_class', 'sequence']);
  const shown = listColumns
    .filter(({ name }) => !hidden.has(name))
    .map(({ name, type }) => (type === 'time' ? `${toReadable(name)} AS ${name}` : name));
  return [
    `CREATE TABLE @meta (name ${types.text} PRIMARY KEY, value ${types.text} NOT NULL)`,
    `CREATE TABLE @batch (id ${types.id} PRIMARY KEY, written_at ${types.real} NOT NULL, bytes ${types.integer} NOT NULL, data ${types.bytes} NOT NULL)`,
    `CREATE TABLE @record (position ${types.id} PRIMARY KEY, id ${types.id} NOT NULL UNIQUE,
      ${columns.join(', ')},
      numbers ${types.json} NOT NULL, note ${types.text}, late ${types.text})`,
    // Lists read the first index in its order until their page is full; further ones cost more to write than they save.
    'CREATE INDEX record_closed ON @record (bucket, closed_at, id)',
    'CREATE INDEX record_error ON @record (bucket, closed_at, id) WHERE error_class IS NOT NULL',
    `CREATE VIEW @requests AS SELECT ${shown.join(', ')}, numbers, note FROM @record WHERE bucket = 'app'`,
  ];
}

/** Returns what a new store knows about itself. */
export function newMeta(): readonly (readonly [name: string, value: string])[] {
  return [
    ['version', String(schemaVersion)],
    // Positions name the store that they are of.
    ['store', randomBytes(6).toString('hex')],
    // A store that replaces another one should not issue the same tokens again.
    ['next', String(randomInt(2 ** 12) * 1024)],
  ];
}

/** Refuses tables of another version and, to who only reads, that there are none. */
export function checkVersion(
  { path, isReadOnly = false }: { readonly path: string; readonly isReadOnly?: boolean | undefined },
  found: number | undefined,
): void {
  if (found === schemaVersion || (found === undefined && !isReadOnly)) return;
  if (found === undefined) throw storeErrors.create('PROFILER_STORE_ABSENT', { path });
  const code = found > schemaVersion ? 'PROFILER_STORE_NEWER' : 'PROFILER_STORE_OLDER';
  throw storeErrors.create(code, { path, found, known: schemaVersion });
}
