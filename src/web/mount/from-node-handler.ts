import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ControllerContext } from '#controller';
import { NotFoundError } from '#errors';
import type { HttpResponse } from '#http';
import { mountRequest } from './mounted-request.js';
import { mountResponse } from './mounted-response.js';

/** A handler of `node:http`, such as an application of Express or Connect. */
export type NodeRequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => unknown;

/**
 * Creates a controller from a handler for `node:http`, Express or Connect:
 * `app.any('/old/{path<.*>}', fromNodeHandler(express, { depth: 1 }))`, or shorter `app.mount('/old', express)`. The
 * handler receives messages of Node's classes, whatever the transport, without the first `depth` segments of the path.
 * If it calls `next()`, the response is 404. An error that it throws, rejects with or passes to `next` is an error of
 * the request.
 */
export function fromNodeHandler(
  handler: NodeRequestHandler,
  { depth = 0 }: { readonly depth?: number } = {},
): (context: ControllerContext) => Promise<HttpResponse> {
  return ({ request }) =>
    new Promise((resolve, reject) => {
      const incoming = mountRequest(request, depth);
      const outgoing = mountResponse(incoming, resolve);
      const passOn = (error?: unknown): void => {
        if (outgoing.headersSent) return void outgoing.destroy(error instanceof Error ? error : undefined);
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- whatever the handler failed with
        reject(
          error ?? new NotFoundError(`Nothing below ${incoming.baseUrl} answers ${incoming.url ?? '/'}.`),
        );
      };
      const onDisconnect = (): void => {
        incoming.destroy();
        if (!outgoing.writableEnded) outgoing.destroy();
      };
      request.signal.addEventListener('abort', onDisconnect, { once: true });
      const run = async (): Promise<unknown> => handler(incoming, outgoing, passOn);
      run().catch((error: unknown) => passOn(error));
    });
}
