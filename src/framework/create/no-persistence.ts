import { kernelListener, kernelPriority, requestEvent } from '#kernel';
import type { Extension } from '../app/extension.js';

/** The hooks' places where there is no persistence (yet): called on each request, with nothing to do. */
export function noPersistence(): Extension {
  const { persistenceBefore, persistenceAfter } = kernelPriority.request;
  return {
    name: 'persistence',
    listeners: [
      kernelListener(requestEvent, () => {}, {
        name: 'persistence before routing',
        priority: persistenceBefore,
      }),
      kernelListener(requestEvent, () => {}, {
        name: 'persistence after routing',
        priority: persistenceAfter,
      }),
    ],
  };
}
