import type { HttpRequest } from '#http';
import { type KernelListener, kernelListener, kernelPriority, responseEvent } from '#kernel';
import type { finishPage } from './finish-page.js';
import { recordOf } from '../failures/read-origin.js';

/** Options of the listener that links responses to their records. */
export interface DebugTokenOptions {
  readonly isShown: (request: HttpRequest) => boolean;
  /** Origins whose scripts may read the header fields. */
  readonly origins: readonly string[];
  /** Whether HTML pages get the toolbar. */
  readonly toolbar: boolean;
}

/**
 * Creates the listener that adds the link to the record and the toolbar to responses, for clients that may see debug
 * output.
 */
export function createDebugTokenListener({ isShown, origins, toolbar }: DebugTokenOptions): KernelListener {
  let loaded: typeof finishPage | undefined;
  return kernelListener(
    responseEvent,
    ({ request, response }) => {
      // Access is checked first: most clients of a recorded application may not see records, and need no URL of one.
      const record = isShown(request) ? recordOf(request) : undefined;
      if (record === undefined) return undefined;
      const { recording, link } = record;
      response.headers.set('X-Debug-Token', recording.token);
      response.headers.set('X-Debug-Token-Link', link);
      const options = { recording, origins, toolbar: toolbar && request.scope.parent === undefined };
      // Loaded at the first response for a client that may see debug output.
      if (loaded !== undefined) return loaded(request, response, options);
      return import('./finish-page.js').then((page) => {
        loaded = page.finishPage;
        loaded(request, response, options);
      });
    },
    { name: 'debug token', priority: kernelPriority.response.debugToken },
  );
}
