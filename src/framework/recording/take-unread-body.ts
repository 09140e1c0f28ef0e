import type { HttpRequest } from '#http';
import type { Recording } from '#profiler';
import { createScopeKey } from '#scope';

/** Maximum announced size in bytes of a body that is read only for the record, which stores no more than that. */
const maxBytes = 65_536;
/** Event-loop ticks that a record waits after the response for a body that is still being received. */
const maxTicks = 2;

const taking = createScopeKey<Promise<void>>('unread body');

/**
 * Reads a body that the application has not read by the time of its response, so that the record contains it. The response
 * does not wait for it. Not read are bodies that announce more than a record stores, bodies whose client waits for
 * `100 Continue`, and bodies of sub-requests.
 */
export function takeUnreadBody(request: HttpRequest, recording: Recording | undefined): void {
  const { source, headers, scope } = request;
  if (recording === undefined || source.body === undefined || request.readBytes !== undefined) return;
  if (scope.parent !== undefined || headers.has('expect')) return;
  if (Number(headers.get('content-length') ?? 0) > maxBytes) return;
  const taken = request.bytes().then(
    () => recording.unreadBody(),
    () => undefined, // already read as a stream, aborted, or too large: the record has the announced size
  );
  scope.set(taking, taken);
}

/** Resolves when the unread body was received, or after `maxTicks`; undefined if no body is being received. */
export function unreadBodyOf(request: HttpRequest): Promise<void> | undefined {
  const taken = request.scope.getOwn(taking);
  return taken === undefined || request.readBytes !== undefined
    ? undefined
    : Promise.race([taken, waitTicks()]);
}

async function waitTicks(): Promise<void> {
  for (let tick = 0; tick < maxTicks; tick++) await new Promise(setImmediate);
}
