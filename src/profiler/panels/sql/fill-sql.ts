import type { Picture } from '#dump';
import { sqlTokens } from './sql-tokens.js';

export interface FilledSql {
  readonly sql: string;
  /** Placeholders whose value is hidden, cut or none that SQL can write; they are left as they are. */
  readonly open: number;
}

/**
 * A statement with its values in place of the placeholders (`?`, or `$1` where it has such), as a database would take it.
 * Values are written as literals of standard SQL. One that is not known whole is never guessed; one with a backslash, which
 * databases read differently, is not written either, so that no value can end its literal.
 */
export function fillSql(sql: string, values: readonly Picture[]): FilledSql {
  const form = /\$\d/.test(sql) ? /^\$\d+$/ : /^\?$/;
  let place = 0;
  let open = 0;
  const filled = sqlTokens(sql).map(({ kind, text }) => {
    if (kind !== 'placeholder' || !form.test(text)) return text;
    const at = text.startsWith('$') ? Number(text.slice(1)) - 1 : place++;
    const literal = sql.includes('\\') ? undefined : literalOf(values[at]);
    if (literal === undefined) open++;
    return literal ?? text;
  });
  return { sql: filled.join(''), open };
}

/** A value as a literal; undefined where it is not known whole. */
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
