import { sqlTokens } from './format-sql.js';

/** What a plan says of a table that it reads whole. */
export interface WholeRead {
  readonly table: string;
  /** What to do, or to look at; only what the plan and the statement show. */
  readonly advice: string | undefined;
}

/** A condition of a statement on one column: `order_id = ?`. */
interface Equality {
  readonly table: string;
  readonly column: string;
}

/** SQLite: a table that is read without an index. */
const sqliteScan = /^\s*SCAN (?:TABLE )?([\w$]{1,100})(?: AS [\w$]+)?\s*$/i;
/** PostgreSQL, as text. */
const postgresScan =
  /^\s*(?:->\s*)?(?:Parallel )?Seq Scan on (?:[\w$]{1,100}\.)?([\w$"]{1,100})(?: [\w$"]+)?\s*(?:\(|$)/;
/** PostgreSQL, as JSON. */
const postgresJson = /"Node Type": "Seq Scan"[^{}]{0,2000}?"Relation Name": "([\w$]{1,100})"/g;
/** Words of statements that may stop before the end of a table, or whose tables the plan does not name. */
const stopping: ReadonlySet<string> = new Set(['limit', 'fetch', 'exists', 'with', 'union', 'top']);

/**
 * Reads a plan of SQLite (EXPLAIN QUERY PLAN) or PostgreSQL (EXPLAIN, text or JSON) for the one thing most readers look for: a table
 * that is read whole. Undefined where that is not certain: more than one such table, or a statement that may stop early.
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
  // SQLite uses an index that fits; PostgreSQL may leave one aside, where the table is small or most rows pass.
  const advice =
    sqlite.length > 0
      ? `No index fits; an index on ${index} would serve it.`
      : `An index on ${index} would serve it, if there is none yet and few rows of a large table pass.`;
  return { table, advice };
}

/** The tables of a statement by their names and aliases, in lower case. */
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

/** The one column that a statement compares with a value, where it has no other condition. */
function equalityOf(sql: string, table: string): Equality | undefined {
  const where = /\bwhere\b([^]*?)(?:\border by\b|\bgroup by\b|$)/i.exec(sql)?.[1]?.trim() ?? '';
  const condition =
    /^\(?\s*(?:["`]?[\w$]+["`]?\.)?["`]?([a-z_][\w$]*)["`]?\s*=\s*(?:\?|\$\d+|'(?:[^']|'')*'|-?\d[\d.]*)\s*\)?$/i;
  const column = condition.exec(where)?.[1];
  return column === undefined ? undefined : { table, column };
}
