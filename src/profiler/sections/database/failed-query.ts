import { containsRedacted, type Snapshot } from '#core/dump';
import type { ErrorReport, FailedStatement, ReportedChain, ReportedError } from '#core/errors';
import { say } from '#core/phrases';
import { formatMilliseconds } from '../../model/formatting.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { failsWith } from '../../model/recorded-error.js';
import { findSection } from '../define-section.js';
import type { HttpSection } from '../http-client/section.js';
import { findSqlKeywords, formatSql, sqlTokens } from './format-sql.js';
import type { DbQuery, DbSection } from './queries.js';

/** The query that failed with a record's error, or with one of its causes. */
interface FailedQuery {
  readonly query: DbQuery;
  readonly index: number;
  /** Number of queries kept. */
  readonly total: number;
  /** The part of the statement named by the database, as text indexes; undefined if it names none. */
  readonly mark: readonly [from: number, to: number] | undefined;
}

/** Finds the last query that failed with a record's error or one of its causes; undefined if there is none. */
export function findFailedQuery(record: ProfileRecord): FailedQuery | undefined {
  const { exception } = record;
  const queries = findSection<DbSection>(record, 'db', ['queries', 'totals'])?.queries ?? [];
  if (exception === null) return undefined;
  const isOfError = failsWith(exception);
  const index = queries.findLastIndex(({ error }) => error !== null && isOfError(error));
  const query = queries[index];
  if (query === undefined) return undefined;
  return { query, index, total: queries.length, mark: findMark(query, exception) };
}

/** Finds the error position reported by the database: a parameter, a position, or a text that occurs only once. */
function findMark({ sql, error }: DbQuery, exception: ErrorReport): FailedQuery['mark'] {
  const message = error ?? '';
  const thrown = errorsOf(exception).find((one) => one.message !== '' && message.includes(one.message));
  const [, parameter] = /\bparameter (\$\d{1,5})\b/.exec(textOf(thrown, 'where')) ?? [];
  if (parameter !== undefined) return onlyPlace(sql, parameter);
  const near = namedPart
    .exec(message)
    ?.slice(1)
    .find((part) => part !== undefined);
  const position = Number(textOf(thrown, 'position') || Number.NaN);
  const place = Number.isSafeInteger(position) ? placeAt(sql, position) : undefined;
  // The position refers to the statement as sent, which the record may have in another form.
  if (place !== undefined && (near === undefined || sql.startsWith(near, place[0]))) return place;
  return near === undefined ? undefined : onlyPlace(sql, near);
}

/** The text that PostgreSQL, MySQL and SQLite quote in their messages. */
const namedPart =
  /\bnear "([^"]{1,200})"|\bnear '([^']{1,200})|\bno such (?:column|table|function): ([\w.]{1,200})/i;

/** Returns the token at a one-based character position; undefined if the text before it may have another length. */
function placeAt(sql: string, position: number): FailedQuery['mark'] {
  const at = Array.from(sql)
    .slice(0, position - 1)
    .join('').length;
  if (position < 1 || at >= sql.length || containsRedacted(sql.slice(0, at))) return undefined;
  let end = 0;
  for (const { kind, text } of sqlTokens(sql)) {
    if (kind === 'placeholder' && text === '?' && end < at) return undefined; // sent as `$1`
    end += text.length;
    if (end > at) return end - text.length === at && kind !== 'space' ? [at, end] : undefined;
  }
  return undefined;
}

function onlyPlace(sql: string, part: string): FailedQuery['mark'] {
  const tokens = sqlTokens(sql);
  const isToken = tokens.some(({ text }) => text === part);
  const places: number[] = [];
  let at = 0;
  for (const { text } of tokens) {
    if (isToken ? text === part : sql.startsWith(part, at)) places.push(at);
    at += text.length;
  }
  const [from] = places;
  return places.length === 1 && from !== undefined ? [from, from + part.length] : undefined;
}

function errorsOf({ errors }: ReportedChain): readonly ReportedError[] {
  return errors.flatMap((error) => [error, ...(error.children ?? []).flatMap(errorsOf)]);
}

/** Returns an error's own field if it is a text or a number. */
function textOf(error: ReportedError | undefined, name: string): string {
  const value: Snapshot | undefined = error?.properties?.entries?.find(({ key }) => key === name)?.value;
  return value?.type === 'string' || value?.type === 'number' ? (value.text ?? '') : '';
}

const maxLineLength = 100;

/** Describes the query that failed with a record's error or one of its causes; undefined if there is none. */
export function describeFailedQuery(
  record: ProfileRecord,
): (FailedStatement & Pick<FailedQuery, 'query' | 'index'>) | undefined {
  const failed = findFailedQuery(record);
  if (failed === undefined) return undefined;
  const { query, index, total } = failed;
  const { sql, mark } = shownStatement(failed);
  const isNumbered = sql.includes('$1');
  return {
    query,
    index,
    label: [query.connection, formatMilliseconds(query.durationMs)].filter((part) => part !== '').join(' · '),
    ...(isRefusal(record.exception) ? { title: 'The database refused this statement' } : {}),
    sql,
    keywords: findSqlKeywords(sql),
    ...(mark === undefined ? {} : { mark }),
    ...describeBefore(record, failed),
    values: query.params.map(({ name, value }, at) => {
      const place = isNumbered ? `$${at + 1}` : `Value ${at + 1}`;
      return [name === null ? place : `${place} (${name})`, value];
    }),
    place: total === 1 ? 'the only query' : say('query {at} of {n}', { at: index + 1, n: total }),
  };
}

/** Whether an error is one that PostgreSQL, MySQL or MariaDB sent, rather than one of the connection or the driver. */
function isRefusal(exception: ErrorReport | null): boolean {
  if (exception === null) return false;
  return errorsOf(exception).some(
    (error) => textOf(error, 'severity') !== '' || textOf(error, 'sqlState') !== '',
  );
}

/** Describes what the request had done before the statement, unless the record left some of it out. */
function describeBefore(
  record: ProfileRecord,
  { query, total }: FailedQuery,
): Pick<FailedStatement, 'before'> {
  const { logs, logTotals, startedAt } = record;
  const { queries = [], totals } = findSection<DbSection>(record, 'db', ['queries', 'totals']) ?? {};
  const { calls = [], totals: all } = findSection<HttpSection>(record, 'http', ['calls', 'totals']) ?? {};
  const isWhole = totals?.queries === total && (all?.calls ?? 0) === calls.length && logTotals.omitted === 0;
  if (!isWhole) return {};
  const offset = query.startedAt - startedAt;
  const earlier = (list: readonly { readonly offsetMs: number }[]): number =>
    list.filter(({ offsetMs }) => offsetMs < offset).length;
  const parts = [
    say('{n} query|{n} queries', { n: queries.filter((one) => one.startedAt < query.startedAt).length }),
    say('{n} call|{n} calls', { n: earlier(calls) }),
    say('{n} log line|{n} log lines', { n: earlier(logs) }),
  ];
  return { before: parts.join(' · ') };
}

/** Returns a short statement as sent, and a long one formatted in lines. */
function shownStatement({ query, mark }: FailedQuery): Pick<FailedStatement, 'sql' | 'mark'> {
  const text = query.sql;
  const isShort = text.trim() === text && text.split('\n').every((line) => line.length <= maxLineLength);
  const sql = isShort ? text : formatSql(text);
  if (mark === undefined) return { sql };
  // Only white space differs, so the mark follows the same number of other characters.
  return { sql, mark: isShort ? mark : [moved(text, sql, mark[0]), moved(text, sql, mark[1] - 1) + 1] };
}

function moved(before: string, after: string, index: number): number {
  let left = before.slice(0, index).replace(/\s+/g, '').length;
  for (let at = 0; at < after.length; at++) if (/\S/.test(after[at] ?? '') && left-- === 0) return at;
  return after.length;
}
