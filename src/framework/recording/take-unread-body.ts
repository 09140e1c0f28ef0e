import type { HttpRequest } from '#http';
import type { Recording } from '#profiler';
import { createScopeKey } from '#scope';

/** Bytes that a body may announce to be taken for the record alone: more than that a record does not keep. */
const maxBytes = 65_536;
/** Turns of the event loop that a record waits, after the answer, for a body that is still on its way. */
const maxTurns = 2;

const taking = createScopeKey<Promise<void>>('unread body');

/**
 * Takes a body that the application has not read by the time of its answer, so that the record shows what was sent. It
 * is read beside the answer, which never waits for it. Left alone are bodies that announce more than a record keeps,
 * those whose client waits for `100 Continue`, and those of a request that another one made: it has them.
 */
export function takeUnreadBody(request: HttpRequest, recording: Recording | undefined): void {
  const { source, headers, scope } = request;
  if (recording === undefined || source.body === undefined || request.readBytes !== undefined) return;
  if (scope.parent !== undefined || headers.has('expect')) return;
  if (Number(headers.get('content-length') ?? 0) > maxBytes) return;
  const taken = request.bytes().then(
    () => recording.unreadBody(),
    () => undefined, // read as a stream, cut off or too large: the record says what was announced
  );
  scope.set(taking, taken);
}

/** Resolves when such a body was taken, or has to be given up; undefined where none is on its way. */
export function unreadBodyOf(request: HttpRequest): Promise<void> | undefined {
  const taken = request.scope.getOwn(taking);
  return taken === undefined || request.readBytes !== undefined ? undefined : Promise.race([taken, aWhile()]);
}

async function aWhile(): Promise<void> {
  for (let turn = 0; turn < maxTurns; turn++) await new Promise(setImmediate);
}
