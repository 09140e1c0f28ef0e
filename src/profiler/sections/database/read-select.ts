import { type DbQuery, dbLimits } from './queries.js';
import type { ExplainedQuery } from '../../model/profiler.js';
import { type SqlToken, sqlTokens, sqlValueOf } from './format-sql.js';

/** Keywords in statements that write or lock. */
const writeKeywords: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'merge', 'into']);

/**
 * Returns the query if it is a single, complete `SELECT` (or `WITH … SELECT`) that neither writes nor locks; otherwise
 * undefined. Deliberately strict: rejects semicolons anywhere but at the end. Comments are removed, because databases
 * nest them differently.
 */
export function readSelect({ connection, sql, params }: DbQuery): ExplainedQuery | undefined {
  const text = sql.trim().replace(/;$/, '');
  if (text.includes(';') || sql.length >= dbLimits.text) return undefined;
  const tokens = sqlTokens(text).map((token): SqlToken =>
    token.kind === 'comment' ? { kind: 'space', text: ' ' } : token,
  );
  const words = tokens.flatMap((token) => (token.kind === 'word' ? token.text.toLowerCase() : []));
  const first = tokens.find((token) => token.kind !== 'space' && token.text !== '(');
  const isReading =
    first?.kind === 'word' &&
    /^(?:select|with)$/i.test(first.text) &&
    words.includes('select') &&
    !words.some((word) => writeKeywords.has(word));
  if (!isReading) return undefined;
  const placeholders = tokens.filter(({ kind }) => kind === 'placeholder');
  return {
    connection,
    sql: withPlaceholders(tokens, (token) => token),
    numbered: withPlaceholders(tokens, (token, index) => (token === '?' ? `$${index + 1}` : token)),
    bare: withPlaceholders(tokens, () => 'NULL'),
    hasPlaceholders: placeholders.length > 0,
    values: valuesFor(placeholders, params),
  };
}

function withPlaceholders(
  tokens: readonly SqlToken[],
  write: (token: string, index: number) => string,
): string {
  let index = 0;
  return tokens.map(({ kind, text }) => (kind === 'placeholder' ? write(text, index++) : text)).join('');
}

/** Returns the values in placeholder order; undefined for named placeholders, whose order is unknown. */
function valuesFor(placeholders: readonly SqlToken[], params: DbQuery['params']): ExplainedQuery['values'] {
  const isNumbered = placeholders.every(({ text }) => /^\$\d+$/.test(text));
  if (!isNumbered && !placeholders.every(({ text }) => text === '?')) return undefined;
  const count = isNumbered
    ? Math.max(0, ...placeholders.map(({ text }) => Number(text.slice(1))))
    : placeholders.length;
  const values = params.map(({ value }) => sqlValueOf(value));
  return values.length === count && values.every((value) => value !== undefined) ? values : undefined;
}
