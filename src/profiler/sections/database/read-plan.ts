import { sqlTokens } from './format-sql.js';

/** A full table scan found in a query plan. */
export interface WholeRead {
  readonly table: string;
  /** Suggested remedy, based only on the plan and the statement. */
  readonly advice: string | undefined;
}

/** A condition that compares one column: `order_id = ?`. */
interface Equality {
  readonly table: string;
  readonly column: string;
}

/** SQLite: full scan without an index. */
const sqliteScan = /^\s*SCAN (?:TABLE )?([\w$]{1,100})(?: AS [\w$]+)?\s*$/i;
/** PostgreSQL, text format. */
const postgresScan =
  /^\s*(?:->\s*)?(?:Parallel )?Seq Scan on (?:[\w$]{1,100}\.)?([\w$"]{1,100})(?: [\w$"]+)?\s*(?:\(|$)/;
/** PostgreSQL, JSON format. */
const postgresJson = /"Node Type": "Seq Scan"[^{}]{0,2000}?"Relation Name": "([\w$]{1,100})"/g;
/** Keywords in statements that may stop before the end of a table, or whose plan may not name their tables. */
const stopping: ReadonlySet<string> = new Set(['limit', 'fetch', 'exists', 'with', 'union', 'top']);

/**
 * Searches a SQLite plan (EXPLAIN QUERY PLAN) or PostgreSQL plan (EXPLAIN, text or JSON) for a full table scan, which
 * is what most readers look for. Undefined if uncertain: several such tables, or a statement that may stop early.
 */
export function readPlan(plan: string, sql: string): WholeRead | undefined {
  const words = sqlTokens(sql).flatMap(({ kind, text }) => (kind === 'word' ? [text.toLowerCase()] : []));
  if (words.some((word) => stopping.has(word)) || words.filter((word) => word === 'select').length !== 1)
    return undefined;
  const lines = plan.split('\n');
  const sqlite = lines.flatMap((line) => sqliteScan.exec(line)?.[1] ?? []);
  const postgres = [
    ...lines.flatMap((line) => postgresScan.exec(line)?.[1]?.replaceAll('"', '') ?? []),
    ...Array.from(plan.matchAll(postgresJson), ([, table = '']) => table),
  ];
  const [name, ...others] = [...sqlite, ...postgres];
  if (name === undefined || others.length > 0) return undefined;
  const tables = tablesOf(sql);
  const table = tables.get(name.toLowerCase());
  if (table === undefined) return undefined;
  const found = tables.size === 1 || new Set(tables.values()).size === 1 ? equalityOf(sql, table) : undefined;
  if (found === undefined) return { table, advice: undefined };
  const index = `${found.table}(${found.column})`;
  // SQLite uses any matching index; PostgreSQL may ignore one if the table is small or most rows match.
  const advice =
    sqlite.length > 0
      ? `No index fits; an index on ${index} would help.`
      : `An index on ${index} would help, if there is none yet and few rows of a large table match.`;
  return { table, advice };
}

/** Returns a statement's tables by lower-case name and alias. */
function tablesOf(sql: string): ReadonlyMap<string, string> {
  const tables = new Map<string, string>();
  const pattern = /\b(?:from|join)\s+["`]?([\w$]{1,100})["`]?(?:\s+(?:as\s+)?["`]?([\w$]{1,100})["`]?)?/gi;
  for (const [, table = '', alias = ''] of sql.matchAll(pattern)) {
    tables.set(table.toLowerCase(), table);
    if (!clauses.has(alias.toLowerCase()) && alias !== '') tables.set(alias.toLowerCase(), table);
  }
  return tables;
}

const clauses: ReadonlySet<string> = new Set([
  'where',
  'join',
  'left',
  'right',
  'inner',
  'outer',
  'full',
  'cross',
  'natural',
  'on',
  'using',
  'order',
  'group',
  'having',
  'window',
  'for',
]);

/** Returns the column that a statement compares with a value; undefined if there are other conditions. */
function equalityOf(sql: string, table: string): Equality | undefined {
  const where = /\bwhere\b([^]*?)(?:\border by\b|\bgroup by\b|$)/i.exec(sql)?.[1]?.trim() ?? '';
  const condition =
    /^\(?\s*(?:["`]?[\w$]+["`]?\.)?["`]?([a-z_][\w$]*)["`]?\s*=\s*(?:\?|\$\d+|'(?:[^']|'')*'|-?\d[\d.]*)\s*\)?$/i;
  const column = condition.exec(where)?.[1];
  return column === undefined ? undefined : { table, column };
}
