import type { HttpRequest } from '#http';
import { type KernelListener, kernelListener, kernelPriority, responseEvent } from '#kernel';
import type { finishPage } from './finish-page.js';
import { recordOf } from '../failures/read-origin.js';

/** Who is shown records, and how. */
export interface DebugTokenOptions {
  readonly isShown: (request: HttpRequest) => boolean;
  /** Origins whose scripts may read the fields. */
  readonly origins: readonly string[];
  /** Whether HTML pages get the toolbar. */
  readonly toolbar: boolean;
}

/** Names the record in the response, for clients that may open it, and puts the toolbar into the pages that they open. */
export function createDebugTokenListener({ isShown, origins, toolbar }: DebugTokenOptions): KernelListener {
  let loaded: typeof finishPage | undefined;
  return kernelListener(
    responseEvent,
    ({ request, response }) => {
      // Asked first: most clients of a recorded application are not shown its records, and need no address of one.
      const record = isShown(request) ? recordOf(request) : undefined;
      if (record === undefined) return undefined;
      const { recording, link } = record;
      response.headers.set('X-Debug-Token', recording.token);
      response.headers.set('X-Debug-Token-Link', link);
      const options = { recording, origins, toolbar: toolbar && request.scope.parent === undefined };
      // Loaded with the first answer to someone who may see it.
      if (loaded !== undefined) return loaded(request, response, options);
      return import('./finish-page.js').then((page) => {
        loaded = page.finishPage;
        loaded(request, response, options);
      });
    },
    { name: 'debug token', priority: kernelPriority.response.debugToken },
  );
}
