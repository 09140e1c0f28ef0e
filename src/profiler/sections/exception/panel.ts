import {
  describeCounts,
  describeDifference,
  type ErrorHistory,
  type ErrorReport,
  type InputDifference,
  listWhatDiffers,
  valueOfMark,
} from '#core/errors';
import { isOfRequest, type ProfileRecord } from '../../model/profile-record.js';
import { findRecordedError } from '../../model/recorded-error.js';
import { formatMilliseconds } from '../../model/formatting.js';
import { describeSentPart } from './findings.js';
import { blocksOf, note, warning } from '../../view/make-blocks.js';
import type { Block, Blocks, Pair, Value } from '../../view/block.js';
import { callSitePairs, pairsOf } from '../../view/make-facts.js';
import { column, table } from '../../view/make-tables.js';
import { locationValue, muted, snapshotValue } from '../../view/make-values.js';
import { findSection } from '../define-section.js';
import type { ThrowsSection } from '../throws/section.js';
import { describeFailedQuery } from '../database/failed-query.js';
import { queryAnchor } from '../database/section.js';
import { findFailedCall } from '../http-client/failed-call.js';
import { callAnchor } from '../http-client/section.js';
import type { Panel, PanelContext } from '../panel.js';

/** The request's exception: the error chain, innermost first, with recorded stacks and source excerpts. */
export const exceptionPanel: Panel = {
  id: 'exception',
  title: 'Exception',
  badge: (record) => {
    const { exception } = record;
    return exception === null
      ? throwsOf(record).length > 0
        ? 'plain'
        : undefined
      : {
          count: exception.errors.length + (exception.more ?? 0),
          tone: exception.status >= 500 ? 'error' : 'warn',
          words: findRecordedError(record)?.class ?? exception.class,
        };
  },
  opens: ({ exception }) => exception !== null,
  show: (record, context) =>
    record.exception === null
      ? withoutException(record, context)
      : blocksOf(noteOf(record, record.exception), partsOf(record, record.exception, context)),
};

/** Lists the errors that the application threw and caught, which no exception names. */
function withoutException(record: ProfileRecord, { editor }: PanelContext): readonly Block[] {
  const throws = throwsOf(record);
  if (throws.length === 0) return [note('No exception was thrown while this request was handled.', 'ok')];
  return [
    note('The request did not fail. The application threw these errors, and caught them:', 'info'),
    table('Caught errors', throws, {
      columns: [
        column.at(({ offsetMs }) => offsetMs),
        column.wide('Error', ({ class: name, message, ...thrown }) =>
          locationValue({ ...thrown, name: `${name}: ${message}` }, editor),
        ),
      ],
    }),
    note('Not every caught error is seen: a function that throws often is skipped.'),
  ];
}

function throwsOf(record: ProfileRecord): ThrowsSection['throws'] {
  return record.exception === null
    ? (findSection<ThrowsSection>(record, 'throws', ['throws'])?.throws ?? [])
    : [];
}

/** Arranges the statement or call, the errors and their history, with the history in a separate column if there is room. */
function partsOf(record: ProfileRecord, exception: ErrorReport, context: PanelContext): Blocks {
  const statement = blocksOf(statementOf(record, context) ?? callOf(record, context));
  const isOne = exception.errors.length === 1 && exception.errors[0]?.children === undefined;
  const errors: Block = {
    kind: 'errors',
    report: exception,
    editor: context.editor,
    ...(isOne && statement.length > 0 ? { lead: statement } : {}),
  };
  const history = historyOf(context);
  if (history === undefined) return isOne ? [errors] : [statement, errors];
  const beside = (blocks: readonly Block[]): Block => ({
    kind: 'columns',
    columns: [blocks, [history]],
    isAside: true,
  });
  if (isOne) return beside([errors]);
  return statement.length > 0 ? [beside(statement), errors] : [history, errors];
}

/** Shows the error's history: its occurrences, the last successful request, and the differences in its input. */
function historyOf({ history }: PanelContext): Block | undefined {
  if (history === undefined) return undefined;
  const { seen, counts, lastGood } = history;
  return pairsOf('History', [
    ['This error', seen],
    ['When it occurred', counts && { text: describeCounts(counts), bars: counts }],
    ['When the route worked', lastGood === null ? muted('never before, in this store') : linkTo(lastGood)],
    ['What is different', lastGood && valueOfDifferences(listWhatDiffers(lastGood))],
    ['Step by step', lastGood && { text: 'compare both', href: lastGood.comparison }],
  ]);
}

function valueOfDifferences(differences: readonly InputDifference[]): Value {
  return { text: differences.map(describeDifference).join('\n'), mono: true, differences };
}

function linkTo(good: ErrorHistory['lastGood']): Value | undefined {
  return good ? { text: good.text, href: good.href } : undefined;
}

/** Shows the statement that failed with the error, with the position named by the database, and its values. */
function statementOf(record: ProfileRecord, context: PanelContext): Blocks {
  const failed = describeFailedQuery(record);
  if (failed === undefined) return undefined;
  const {
    query,
    index,
    label,
    title = 'The statement that failed',
    sql,
    mark,
    values,
    place,
    before,
  } = failed;
  const markValue = valueOfMark(failed);
  const href = context.linkTo({ panel: 'db', anchor: queryAnchor(index) });
  return [
    {
      kind: 'code',
      label: `${title} · ${label}`,
      text: sql,
      language: 'sql',
      ...(mark === undefined ? {} : { mark }),
      ...(markValue === undefined ? {} : { markValue }),
    },
    pairsOf('Statement', [
      ...values.map(([name, value]): Pair => [name, snapshotValue(value)]),
      ...callSitePairs(query, context).slice(0, 1),
      ['In Database', { text: place, href }],
      ['Before it', before],
    ]),
  ];
}

/** Shows the outgoing call that failed with the error, if no frame of the error is in the application. */
function callOf(record: ProfileRecord, context: PanelContext): Blocks {
  const failed = findFailedCall(record);
  if (failed === undefined) return undefined;
  const { call, index, place } = failed;
  const [site] = call.callSite;
  return pairsOf('The call that failed', [
    ['Request', { text: `${call.method} ${call.url}`, mono: true }],
    ['Sent from', site && locationValue(site, context.editor, { withColumn: true })], // as frames are shown
    ['In HTTP client', { text: place, href: context.linkTo({ panel: 'http', anchor: callAnchor(index) }) }],
  ]);
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
  // A rejection's process-level log entry is recorded with the request that created the promise.
  const rejection = logs.find(({ channel, level }) => channel === 'process' && level === 'critical');
  if (rejection === undefined)
    return 'This error occurred after the response, which the client received completely.';
  const after = rejection.offsetMs - durationMs;
  if (after > 0)
    return `A promise rejected ${formatMilliseconds(after)} after the response was sent, and nothing awaited it.`;
  const time = formatMilliseconds(rejection.offsetMs);
  return `A promise rejected ${time} into the request, and nothing awaited it; the client got the whole response.`;
}
