import type { Picture } from '#dump';
import { sqlTokens } from './sql-tokens.js';

export interface FilledSql {
  readonly sql: string;
  /** Number of placeholders left unfilled: their value is redacted, truncated or has no SQL literal. */
  readonly open: number;
}

/**
 * Replaces the placeholders of a statement (`$1` if it has such, otherwise `?`) by values as literals of standard SQL.
 * Incomplete values are never guessed. Nothing is filled in next to a backslash, whose meaning differs between databases, so
 * that no value can end its literal.
 */
export function fillSql(sql: string, values: readonly Picture[]): FilledSql {
  const form = /\$\d/.test(sql) ? /^\$\d+$/ : /^\?$/;
  let index = 0;
  let open = 0;
  const filled = sqlTokens(sql).map(({ kind, text }) => {
    if (kind !== 'placeholder' || !form.test(text)) return text;
    const at = text.startsWith('$') ? Number(text.slice(1)) - 1 : index++;
    const literal = sql.includes('\\') ? undefined : literalOf(values[at]);
    if (literal === undefined) open++;
    return literal ?? text;
  });
  return { sql: filled.join(''), open };
}

/** Renders a value as a literal; returns undefined if the value is incomplete or has no literal. */
function literalOf(value: Picture | undefined): string | undefined {
  const { type, text = '', length, entries } = value ?? { type: 'unreadable' };
  if (entries !== undefined || (length !== undefined && length !== text.length)) return undefined;
  if (type === 'null' || type === 'undefined') return 'NULL';
  if (type === 'boolean') return text.toUpperCase();
  if (type === 'number' || type === 'bigint') return /^-?\d/.test(text) ? text.replace(/n$/, '') : undefined;
  if (text.includes('\\')) return undefined;
  if (type === 'string' || type === 'date') return `'${text.replaceAll("'", "''")}'`;
  return undefined;
}
