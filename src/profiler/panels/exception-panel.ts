import type { ErrorReport } from '#errors';
import type { RecordedResponse } from '../model/recorded-message.js';
import type { Block } from './block.js';
import { formatBytes } from './format.js';
import { icons } from './icons.js';
import type { Panel } from './panel.js';

/** The exception of the request: the chain, inner error first, with stacks and excerpts as they were then. */
export const exceptionPanel: Panel = {
  id: 'exception',
  title: 'Exception',
  icon: icons.exception,
  badge: ({ exception }) =>
    exception === null
      ? undefined
      : {
          count: countErrors(exception),
          tone: exception.status >= 500 ? 'error' : 'warn',
          words: exception.class,
        },
  opens: ({ exception }) => exception !== null,
  show: ({ exception, response }, context) =>
    exception === null
      ? [{ kind: 'note', tone: 'ok', text: 'No exception was thrown while this request was handled.' }]
      : [
          ...whereItFailed(exception, response),
          { kind: 'errors', report: exception, editor: context.editor },
        ],
};

/** An error that no answer was made of: what the client got instead. */
function whereItFailed({ errors }: ErrorReport, response: RecordedResponse | null): readonly Block[] {
  if (errors.some(({ isOuter }) => isOuter)) return [];
  const text =
    response === null
      ? 'This error was not turned into a response: no response was sent.'
      : response.completed
        ? 'This error came after the response, or in a promise that nothing awaited. The client got the whole response.'
        : `The response broke off after ${formatBytes(response.bodyBytes)} of its body; the client got a cut response.`;
  return [{ kind: 'note', tone: 'warn', text }];
}

function countErrors(report: ErrorReport): number {
  return report.errors.length + (report.more ?? 0);
}
