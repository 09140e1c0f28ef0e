import type { Picture } from '#dump';
import { type DbQuery, dbLimits } from '../../collectors/db-section.js';
import { type SqlToken, sqlTokens } from './sql-tokens.js';

type SqlValue = string | number | bigint | boolean | null;

/** A recorded query that only reads, in the forms that databases take. */
export interface RecordedSelect {
  /** Without comments. */
  readonly sql: string;
  /** With `$1` in place of `?`. */
  readonly numbered: string;
  /** With NULL in place of every placeholder. */
  readonly bare: string;
  readonly hasPlaceholders: boolean;
  /** Undefined where one of them is hidden, cut or no simple value. */
  readonly values: readonly SqlValue[] | undefined;
}

/** Words of statements that write or lock. */
const writing: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'merge', 'into']);

/**
 * The query where it is one whole `SELECT` (or `WITH … SELECT`) that neither writes nor locks; else undefined. Read with suspicion: a
 * semicolon refuses it wherever it stands, and comments, which databases nest differently, are taken out.
 */
export function readSelect({ sql, params }: DbQuery): RecordedSelect | undefined {
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
    !words.some((word) => writing.has(word));
  if (!isReading) return undefined;
  const placeholders = tokens.filter(({ kind }) => kind === 'placeholder');
  return {
    sql: withPlaceholders(tokens, (token) => token),
    numbered: withPlaceholders(tokens, (token, place) => (token === '?' ? `$${place + 1}` : token)),
    bare: withPlaceholders(tokens, () => 'NULL'),
    hasPlaceholders: placeholders.length > 0,
    values: valuesFor(placeholders, params),
  };
}

function withPlaceholders(
  tokens: readonly SqlToken[],
  write: (token: string, place: number) => string,
): string {
  let place = 0;
  return tokens.map(({ kind, text }) => (kind === 'placeholder' ? write(text, place++) : text)).join('');
}

/** Values in the order of their numbers, or of their places; those of names are in no order that is known. */
function valuesFor(
  placeholders: readonly SqlToken[],
  params: DbQuery['params'],
): readonly SqlValue[] | undefined {
  const isNumbered = placeholders.every(({ text }) => /^\$\d+$/.test(text));
  if (!isNumbered && !placeholders.every(({ text }) => text === '?')) return undefined;
  const count = isNumbered
    ? Math.max(0, ...placeholders.map(({ text }) => Number(text.slice(1))))
    : placeholders.length;
  const values = params.map(({ value }) => simpleValue(value));
  return values.length === count && !values.includes(undefined)
    ? values.flatMap((value) => (value === undefined ? [] : [value]))
    : undefined;
}

/** A value as a driver takes it; undefined where it is not known whole. */
function simpleValue({ type, text = '', length }: Picture): SqlValue | undefined {
  if (type === 'null' || type === 'undefined') return null;
  if (type === 'boolean') return text === 'true';
  if (type === 'number') return Number(text);
  if (type === 'bigint') return BigInt(text.replace(/n$/, ''));
  if (type === 'date') return text;
  return type === 'string' && (length === undefined || length === text.length) ? text : undefined;
}
