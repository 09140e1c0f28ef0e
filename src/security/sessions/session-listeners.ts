import type { KernelListener } from '#kernel';
import { finishRequestEvent, kernelListener, kernelPriority, responseEvent } from '#kernel';
import type { Sessions } from './sessions.js';

/** Stores the session when the response is known, and releases it in any case when the request is over. */
export function createSessionListeners(sessions: Sessions): readonly KernelListener[] {
  return [
    kernelListener(responseEvent, ({ request, response }) => sessions.store(request, response) ?? undefined, {
      name: 'session',
      priority: kernelPriority.response.session,
    }),
    kernelListener(finishRequestEvent, ({ request }) => sessions.release(request) ?? undefined, {
      name: 'session release',
      priority: 0,
    }),
  ];
}
