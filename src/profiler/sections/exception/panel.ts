import type { ErrorReport } from '#core/errors';
import { isOfRequest, type ProfileRecord } from '../../model/profile-record.js';
import { findRecordedError } from '../../model/recorded-error.js';
import { formatBytes, formatMilliseconds } from '../../model/formatting.js';
import { blocksOf, note, warning } from '../../view/make-blocks.js';
import type { Block } from '../../view/block.js';
import { pairsOf } from '../../view/make-facts.js';
import { muted } from '../../view/make-values.js';
import type { Panel, PanelContext } from '../panel.js';

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
      : blocksOf(noteOf(record, record.exception), historyOf(context), {
          kind: 'errors',
          report: record.exception,
          editor: context.editor,
        }),
};

/** The history of the error: how often it occurred, and the request to compare this one with. */
function historyOf({ history }: PanelContext): Block | undefined {
  if (history === undefined) return undefined;
  const { seen, lastGood } = history;
  return pairsOf('History', [
    ['This error', seen],
    ['Last good request', lastGood ?? muted('none of this route before it, in this store')],
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
    return `The response broke off after ${formatBytes(response.bodyBytes)} of its body; the client got a cut response.`;
  // The process-level log entry of a rejection is recorded with the request that created the promise.
  const rejection = logs.find(({ channel, level }) => channel === 'process' && level === 'critical');
  if (rejection === undefined) return 'This error came after the response, which the client got whole.';
  const after = rejection.offsetMs - durationMs;
  if (after > 0)
    return `A promise rejected ${formatMilliseconds(after)} after the response was sent, and nothing awaited it.`;
  const time = formatMilliseconds(rejection.offsetMs);
  return `A promise rejected ${time} into the request, and nothing awaited it; the client got the whole response.`;
}
