import type { ErrorReport } from '#errors';
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
  show: ({ exception }, context) =>
    exception === null
      ? [{ kind: 'note', tone: 'ok', text: 'No exception was thrown while this request was handled.' }]
      : [{ kind: 'errors', report: exception, editor: context.editor }],
};

function countErrors(report: ErrorReport): number {
  return report.errors.length + (report.more ?? 0);
}
