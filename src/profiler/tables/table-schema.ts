import { listColumns } from '../record/columns.js';
import type { SqlDialect } from './sql-database.js';

/** Version of the tables. A store of an older version is renamed by the first process that writes, a newer one is refused. */
export const schemaVersion = 14;

/** A batch has at most this many records; the position of a record is that of its batch plus its place there. */
export const placesOfBatch = 1024;

/** Returns the statements that create the tables, their indexes and the view `requests`. */
export function tableStatements(dialect: SqlDialect): string[] {
  const { types } = dialect;
  const [meta, batch, record] = ['meta', 'batch', 'record'].map((name) => dialect.table(name));
  const columns = listColumns.map(
    ({ name, type, isNullable }) => `${name} ${types[type]}${isNullable ? '' : ' NOT NULL'}`,
  );
  const index = (name: string, on: string): string => `CREATE INDEX record_${name} ON ${record ?? ''} ${on}`;
  return [
    `CREATE TABLE ${meta} (name ${types.text} PRIMARY KEY, value ${types.text} NOT NULL)`,
    `CREATE TABLE ${batch} (id ${types.id} PRIMARY KEY, written_at ${types.real} NOT NULL, bytes ${types.integer} NOT NULL, data ${types.bytes} NOT NULL)`,
    `CREATE TABLE ${record} (position ${types.id} PRIMARY KEY, id ${types.id} NOT NULL UNIQUE,
      ${columns.join(', ')},
      numbers ${types.json} NOT NULL, note ${types.text}, late ${types.text})`,
    // Lists read the first index in its order until their page is full; further ones cost more to write than they save.
    index('closed', '(bucket, closed_at, id)'),
    index('error', '(bucket, closed_at, id) WHERE error_class IS NOT NULL'),
    viewStatement(dialect),
  ];
}

/** The view for people: what an application answered, with times as times. */
function viewStatement(dialect: SqlDialect): string {
  const hidden = new Set(['bucket', 'closed_at', 'duration_class', 'sequence']);
  const columns = listColumns
    .filter(({ name }) => !hidden.has(name))
    .map(({ name, type }) => (type === 'time' ? `${dialect.toReadable(name)} AS ${name}` : name));
  return `CREATE VIEW ${dialect.table('requests')} AS SELECT ${columns.join(', ')}, numbers, note
    FROM ${dialect.table('record')} WHERE bucket = 'app'`;
}
