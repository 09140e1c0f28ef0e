import type { Dispatcher } from '#events';
import type { HttpRequest } from '#http';
import { requestUser } from '#http';
import type { RequestEvent, TerminateEvent } from '#kernel';
import { requestEvent, routingOutcome, terminateEvent } from '#kernel';
import type { Profiler, Recording } from '#profiler';
import { createTraceableDispatcher, requestRecording } from '#profiler';
import type { MatchTrace } from '#routing';

export interface RecordingDispatcherParts {
  /** Why the request went where it went. */
  readonly explain: (request: HttpRequest) => MatchTrace;
}

/**
 * A dispatcher whose request stage opens a recording and whose terminate stage closes it; in between every stage and
 * listener is timed.
 */
export function createRecordingDispatcher(
  inner: Dispatcher,
  profiler: Profiler,
  parts: RecordingDispatcherParts,
): Dispatcher {
  const traceable = createTraceableDispatcher(inner);
  return {
    ...traceable,
    dispatch(type, event) {
      if (type !== requestEvent) return traceable.dispatch(type, event);
      const { request } = event as RequestEvent; // its own type object is the proof
      const recording = openFor(profiler, request);
      const note = (): void => noteRoute(recording, request, parts);
      return whenDone(traceable.dispatch(type, event), note);
    },
    dispatchToAll(type, event, onError) {
      if (type !== terminateEvent) return traceable.dispatchToAll(type, event, onError);
      const { request, response, sent } = event as TerminateEvent; // its own type object is the proof
      const recording = request.scope.get(requestRecording);
      const failed = (error: unknown): void => {
        onError(error);
        recording?.lateError(error);
      };
      return whenDone(traceable.dispatchToAll(type, event, failed), () => {
        if (recording === undefined) return;
        noteUser(recording, request);
        profiler.finish(recording, response, sent);
      });
    },
  };
}

function noteUser(recording: Recording, request: HttpRequest): void {
  try {
    const user = request.scope.get(requestUser)?.();
    if (user !== undefined) recording.user(user.identifier);
  } catch {
    // A firewall that is lazy, and that nobody asked: the record does not ask either.
  }
}

function whenDone(pending: void | Promise<void>, note: () => void): void | Promise<void> {
  if (pending === undefined) return note();
  return noteLater(pending, note);
}

async function noteLater(pending: Promise<void>, note: () => void): Promise<void> {
  await pending;
  note();
}

function openFor(profiler: Profiler, request: HttpRequest): Recording {
  const parent = request.scope.parent?.get(requestRecording);
  const bucket = isProfilerPath(request.rawPath) ? 'profiler' : 'app';
  const recording = profiler.begin(request, parent === undefined ? { bucket } : { bucket, parent });
  request.scope.set(requestRecording, recording);
  return recording;
}

/** Told by the path before routing: a refused request for the profiler's pages is the profiler's as well. */
function isProfilerPath(path: string): boolean {
  return path === '/_profiler' || path.startsWith('/_profiler/');
}

function noteRoute(recording: Recording, request: HttpRequest, parts: RecordingDispatcherParts): void {
  const outcome = request.scope.getOwn(routingOutcome);
  if (outcome === undefined || outcome.kind === 'bad-request') return;
  const trace = (): MatchTrace => parts.explain(request);
  if (outcome.kind === 'match') {
    const { route, parameters } = outcome;
    recording.route({ name: route.name, path: route.path, trace, parameters });
  } else if (outcome.kind === 'method-not-allowed')
    recording.route({ name: null, path: null, trace, allow: outcome.allow });
  else recording.route({ name: null, path: null, trace });
}
