import { say } from '#phrases';
import type { ErrorReport } from '#errors';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Block } from './blocks/block.js';
import { formatBytes, formatMilliseconds } from '../words/format.js';
import { note, warning } from './blocks/make-blocks.js';
import type { Panel } from './panel.js';

/** The exception of the request: the chain, innermost error first, with stacks and excerpts as recorded. */
export const exceptionPanel: Panel = {
  id: 'exception',
  title: 'Exception',
  badge: ({ exception }) =>
    exception === null
      ? undefined
      : {
          count: exception.errors.length + (exception.more ?? 0),
          tone: exception.status >= 500 ? 'error' : 'warn',
          words: exception.class,
        },
  opens: ({ exception }) => exception !== null,
  show: (record, context) =>
    record.exception === null
      ? [note('No exception was thrown while this request was handled.', 'ok')]
      : [
          ...lateErrorNote(record, record.exception),
          { kind: 'errors', report: record.exception, editor: context.editor },
        ],
};

/** For an error that was not turned into a response: describes what happened to the response. */
function lateErrorNote(record: ProfileRecord, { errors }: ErrorReport): readonly Block[] {
  if (record.request.method === 'JOB' || errors.some(({ isOuter }) => isOuter)) return [];
  return [warning(describeLateError(record))];
}

function describeLateError({ response, logs, durationMs }: ProfileRecord): string {
  if (response === null) return 'This error was not turned into a response: no response was sent.';
  if (!response.completed)
    return say('The response broke off after {size} of its body; the client got a cut response.', {
      size: formatBytes(response.bodyBytes),
    });
  // The process-level log entry of a rejection is recorded with the request that created the promise.
  const rejection = logs.find(({ channel, level }) => channel === 'process' && level === 'critical');
  if (rejection === undefined) return 'This error came after the response, which the client got whole.';
  const after = rejection.offsetMs - durationMs;
  return after > 0
    ? say('A promise rejected {time} after the response was sent, and nothing awaited it.', {
        time: formatMilliseconds(after),
      })
    : say(
        'A promise rejected {time} into the request, and nothing awaited it; the client got the whole response.',
        { time: formatMilliseconds(rejection.offsetMs) },
      );
}
