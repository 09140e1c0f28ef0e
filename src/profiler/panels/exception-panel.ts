import type { ErrorReport } from '#errors';
import type { Block } from './block.js';
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
      : [...whereItFailed(exception), { kind: 'errors', report: exception, editor: context.editor }],
};

function whereItFailed({ errors }: ErrorReport): readonly Block[] {
  if (errors.some(({ isOuter }) => isOuter)) return [];
  const text =
    'It failed behind the response: half-way through its stream, after it was sent, or in a promise that nobody waited for. The client saw nothing of it.';
  return [{ kind: 'note', tone: 'warn', text }];
}

function countErrors(report: ErrorReport): number {
  return report.errors.length + (report.more ?? 0);
}
