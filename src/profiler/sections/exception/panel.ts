import type { ErrorReport } from '#core/errors';
import { say } from '#core/phrases';
import { isOfRequest, type ProfileRecord } from '../../model/profile-record.js';
import { findRecordedError } from '../../model/recorded-error.js';
import { formatMilliseconds } from '../../model/formatting.js';
import { describeSentPart } from './findings.js';
import { blocksOf, note, warning } from '../../view/make-blocks.js';
import type { Block, Blocks, Pair, Value } from '../../view/block.js';
import { callSitePairs, pairsOf } from '../../view/make-facts.js';
import { mono, muted, snapshotValue } from '../../view/make-values.js';
import { type FailedQuery, findFailedQuery } from '../database/failed-query.js';
import { formatSql } from '../database/format-sql.js';
import { queryAnchor } from '../database/section.js';
import type { ErrorHistory, Panel, PanelContext } from '../panel.js';

/** The exception of the request: the error chain, innermost first, with recorded stacks and source excerpts. */
export const exceptionPanel: Panel = {
  id: 'exception',
  title: 'Exception',
  badge: (record) => {
    const { exception } = record;
    return exception === null
      ? undefined
      : {
          count: exception.errors.length + (exception.more ?? 0),
          tone: exception.status >= 500 ? 'error' : 'warn',
          words: findRecordedError(record)?.class ?? exception.class,
        };
  },
  opens: ({ exception }) => exception !== null,
  show: (record, context) =>
    record.exception === null
      ? [note('No exception was thrown while this request was handled.', 'ok')]
      : blocksOf(noteOf(record, record.exception), partsOf(record, record.exception, context)),
};

/** The statement, the errors, and what the store knows of them, which stands beside what leaves room for it. */
function partsOf(record: ProfileRecord, exception: ErrorReport, context: PanelContext): Blocks {
  const errors: Block = { kind: 'errors', report: exception, editor: context.editor };
  const statement = blocksOf(statementOf(record, context));
  const history = historyOf(context);
  if (history === undefined) return [statement, errors];
  const beside = (blocks: readonly Block[]): Block => ({
    kind: 'columns',
    columns: [blocks, [history]],
    isAside: true,
  });
  if (statement.length > 0) return [beside(statement), errors];
  const isOne = exception.errors.length === 1 && exception.errors[0]?.children === undefined;
  return isOne ? beside([errors]) : [history, errors];
}

/** What the store knows of the error: how often it was seen, the last request that worked, and what that one sent differently. */
function historyOf({ history }: PanelContext): Block | undefined {
  if (history === undefined) return undefined;
  const { seen, lastGood } = history;
  const { text, href, comparison } = lastGood ?? {};
  return pairsOf('History', [
    ['This error', seen],
    [
      'When the route worked',
      text === undefined || href === undefined ? muted('never before, in this store') : { text, href },
    ],
    ['What is different', differencesOf(lastGood)],
    ['Step by step', comparison === undefined ? undefined : { text: 'compare both', href: comparison }],
  ]);
}

const maxDifferences = 4;

function differencesOf(lastGood: ErrorHistory['lastGood']): Value | undefined {
  const { differences } = lastGood ?? {};
  if (differences === undefined) return undefined;
  if (differences.length === 0) return muted('nothing that was recorded of the request');
  const shown = differences.slice(0, maxDifferences);
  const more = differences.length - shown.length;
  return mono([...shown, ...(more > 0 ? [say('… {n} more', { n: more })] : [])].join('\n'));
}

const maxLineLength = 100;

/** The statement that failed with the error, with the place that the database names, and its values. */
function statementOf(record: ProfileRecord, context: PanelContext): Blocks {
  const failed = findFailedQuery(record);
  if (failed === undefined) return undefined;
  const { query, index, total } = failed;
  const { sql, mark } = shownStatement(failed);
  const label = ['The statement that failed', query.connection, formatMilliseconds(query.durationMs)];
  const values = query.params.map(({ name, value }, at): Pair => [
    [sql.includes('$1') ? `$${at + 1}` : `Value ${at + 1}`, ...(name === null ? [] : [`(${name})`])].join(
      ' ',
    ),
    snapshotValue(value),
  ]);
  return [
    {
      kind: 'code',
      label: label.filter((part) => part !== '').join(' · '),
      text: sql,
      language: 'sql',
      ...(mark === undefined ? {} : { mark }),
    },
    pairsOf('Statement', [
      ...values,
      ...callSitePairs(query, context).slice(0, 1),
      [
        'In Database',
        {
          text: total === 1 ? 'the only query' : say('query {at} of {n}', { at: index + 1, n: total }),
          href: context.linkTo({ panel: 'db', anchor: queryAnchor(index) }),
        },
      ],
    ]),
  ];
}

/** A short statement as it was sent, a long one in lines. */
function shownStatement({ query, mark }: FailedQuery): { sql: string; mark?: readonly [number, number] } {
  const text = query.sql;
  const isShort = text.trim() === text && text.split('\n').every((line) => line.length <= maxLineLength);
  const sql = isShort ? text : formatSql(text);
  if (mark === undefined) return { sql };
  // Only white space differs, so that the same number of other characters stands before the mark.
  return { sql, mark: isShort ? mark : [moved(text, sql, mark[0]), moved(text, sql, mark[1] - 1) + 1] };
}

function moved(before: string, after: string, index: number): number {
  let left = before.slice(0, index).replace(/\s+/g, '').length;
  for (let at = 0; at < after.length; at++) if (/\S/.test(after[at] ?? '') && left-- === 0) return at;
  return after.length;
}

function noteOf(record: ProfileRecord, exception: ErrorReport): Block | undefined {
  const { answered } = exception;
  if (answered !== undefined)
    return note(
      `The listener ${answered.by} answered this error with ${answered.status}: the client got no error.`,
    );
  return isLate(record, exception) ? warning(describeLateError(record)) : undefined;
}

/** Returns whether an error was not turned into a response. */
function isLate(record: ProfileRecord, { errors }: ErrorReport): boolean {
  return isOfRequest(record) && !errors.some(({ isOuter }) => isOuter);
}

function describeLateError({ response, logs, durationMs }: ProfileRecord): string {
  if (response === null) return 'This error was not turned into a response: no response was sent.';
  if (!response.completed)
    return `The response broke off ${describeSentPart(response.bodyBytes)} of its body; the client got a cut response.`;
  // The process-level log entry of a rejection is recorded with the request that created the promise.
  const rejection = logs.find(({ channel, level }) => channel === 'process' && level === 'critical');
  if (rejection === undefined) return 'This error came after the response, which the client got whole.';
  const after = rejection.offsetMs - durationMs;
  if (after > 0)
    return `A promise rejected ${formatMilliseconds(after)} after the response was sent, and nothing awaited it.`;
  const time = formatMilliseconds(rejection.offsetMs);
  return `A promise rejected ${time} into the request, and nothing awaited it; the client got the whole response.`;
}
