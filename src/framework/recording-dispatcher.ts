import { createDispatcher, type Dispatcher } from '#events';
import type { HttpRequest } from '#http';
import { requestUser } from '#http';
import type { ControllerArgumentsEvent, RequestEvent, ResponseEvent, TerminateEvent } from '#kernel';
import {
  controllerArgumentsEvent,
  requestEvent,
  responseEvent,
  routingOutcome,
  terminateEvent,
} from '#kernel';
import type { Profiler, Recording } from '#profiler';
import { createRecordingObserver, requestRecording } from '#profiler';
import type { MatchTrace, Route } from '#routing';
import { watchBody } from './watch-body.js';

export interface RecordingDispatcherParts {
  /** Why the request went where it went. */
  readonly explain: (request: HttpRequest) => MatchTrace;
}

/**
 * A dispatcher whose request stage opens a recording and whose terminate stage closes it; in between every stage and
 * listener is timed, and what the stages lead to is noted.
 */
export function createRecordingDispatcher(profiler: Profiler, parts: RecordingDispatcherParts): Dispatcher {
  const inner = createDispatcher(createRecordingObserver());
  return {
    ...inner,
    dispatch(type, event) {
      if (type === requestEvent) openFor(profiler, (event as RequestEvent).request); // its own type object is the proof
      const pending = inner.dispatch(type, event);
      return afterwards(pending, type, event, parts);
    },
    dispatchToAll(type, event, onError) {
      if (type !== terminateEvent)
        return afterwards(inner.dispatchToAll(type, event, onError), type, event, parts);
      const terminate = event as TerminateEvent; // its own type object is the proof
      const recording = terminate.request.scope.get(requestRecording);
      if (recording === undefined) return inner.dispatchToAll(type, event, onError);
      const failed = (error: unknown): void => {
        onError(error);
        recording.lateError(error);
      };
      const pending = inner.dispatchToAll(type, event, failed);
      if (pending === undefined) return close(profiler, recording, terminate);
      return pending.then(() => close(profiler, recording, terminate));
    },
  };
}

function afterwards(
  pending: void | Promise<void>,
  type: unknown,
  event: unknown,
  parts: RecordingDispatcherParts,
): void | Promise<void> {
  if (type !== requestEvent && type !== controllerArgumentsEvent && type !== responseEvent) return pending;
  if (pending === undefined) return note(type, event, parts);
  return pending.then(() => note(type, event, parts));
}

/** Notes what a stage led to. The type object of an event is the proof of what the event is. */
function note(type: unknown, event: unknown, parts: RecordingDispatcherParts): void {
  if (type === requestEvent) {
    const { request } = event as RequestEvent;
    const recording = request.scope.get(requestRecording);
    if (recording !== undefined) noteRoute(recording, request, parts);
  } else if (type === controllerArgumentsEvent) {
    const { request, controller, arguments: values } = event as ControllerArgumentsEvent;
    request.scope.get(requestRecording)?.controller(controller, values, controller.arguments);
  } else {
    const { request, response } = event as ResponseEvent;
    watchBody(response, request.scope.get(requestRecording));
  }
}

function close(profiler: Profiler, recording: Recording, event: TerminateEvent): void {
  const { request, response, sent } = event;
  noteUser(recording, request);
  profiler.finish(recording, response, sent);
}

function noteUser(recording: Recording, request: HttpRequest): void {
  try {
    const user = request.scope.get(requestUser)?.();
    if (user !== undefined) recording.user(user.identifier);
  } catch {
    // A firewall that is lazy, and that nobody asked: the record does not ask either.
  }
}

function openFor(profiler: Profiler, request: HttpRequest): void {
  const parent = request.scope.parent?.get(requestRecording);
  const bucket = isProfilerPath(request.rawPath) ? 'profiler' : 'app';
  const recording = profiler.begin(request, parent === undefined ? { bucket } : { bucket, parent });
  request.scope.set(requestRecording, recording);
}

/** Told by the path before routing: a refused request for the profiler's pages is the profiler's as well. */
function isProfilerPath(path: string): boolean {
  return path === '/_profiler' || path.startsWith('/_profiler/');
}

/** Of what a match of the route may give: a bare object is slow to ask for its names. */
const parameterNames = new WeakMap<Route, readonly string[]>();

function namesOf(route: Route): readonly string[] {
  let names = parameterNames.get(route);
  if (names === undefined) {
    names = [...new Set([...Object.keys(route.defaults), ...route.variables])];
    parameterNames.set(route, names);
  }
  return names;
}

function noteRoute(recording: Recording, request: HttpRequest, parts: RecordingDispatcherParts): void {
  const outcome = request.scope.getOwn(routingOutcome);
  if (outcome === undefined || outcome.kind === 'bad-request') return;
  const trace = (): MatchTrace => parts.explain(request);
  if (outcome.kind === 'match') {
    const { route, parameters } = outcome;
    recording.route({ name: route.name, path: route.path, trace, parameters, names: namesOf(route) });
  } else if (outcome.kind === 'method-not-allowed')
    recording.route({ name: null, path: null, trace, allow: outcome.allow });
  else recording.route({ name: null, path: null, trace });
}
