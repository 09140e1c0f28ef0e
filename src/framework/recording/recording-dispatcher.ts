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
import type { Profiler, Recording, RouteNote } from '#profiler';
import { createRecordingObserver, requestRecording } from '#profiler';
import type { MatchTrace, Route } from '#routing';
import { requestOfEvent } from './request-of-event.js';
import { takeUnreadBody, unreadBodyOf } from './take-unread-body.js';
import { watchBody } from './watch-body.js';

export interface RecordingDispatcherParts {
  /** Why the request went where it went. */
  readonly explain: (request: HttpRequest) => MatchTrace;
  /** Paths, as sent, of which no record is kept. */
  readonly unrecordedPaths: ReadonlySet<string>;
}

/**
 * A dispatcher whose request stage opens a recording and whose terminate stage closes it; in between every stage and
 * listener is timed, and what the stages lead to is noted.
 */
export function createRecordingDispatcher(profiler: Profiler, parts: RecordingDispatcherParts): Dispatcher {
  const inner = createDispatcher(createRecordingObserver(requestOfEvent));
  const notes = createRouteNotes(parts.explain);
  return {
    ...inner,
    dispatch(type, event) {
      if (type !== requestEvent) return afterwards(inner.dispatch(type, event), { type, event }, notes);
      const { request } = event as RequestEvent; // its own type object is the proof
      if (parts.unrecordedPaths.has(request.rawPath)) return inner.dispatch(type, event);
      openFor(profiler, request);
      return whateverComes(
        () => inner.dispatch(type, event),
        () => note(type, event, notes),
      );
    },
    dispatchToAll(type, event, onError) {
      if (type !== terminateEvent)
        return afterwards(inner.dispatchToAll(type, event, onError), { type, event }, notes);
      const terminate = event as TerminateEvent; // its own type object is the proof
      const recording = terminate.request.scope.get(requestRecording);
      if (recording === undefined) return inner.dispatchToAll(type, event, onError);
      const pending = inner.hears(type)
        ? inner.dispatchToAll(type, event, noteLate(recording, onError))
        : inner.dispatch(type, event);
      const body = unreadBodyOf(terminate.request);
      if (pending === undefined && body === undefined) return close(profiler, recording, terminate);
      return Promise.all([pending, body]).then(() => close(profiler, recording, terminate));
    },
  };
}

function afterwards(
  pending: void | Promise<void>,
  { type, event }: { readonly type: unknown; readonly event: unknown },
  notes: RouteNotes,
): void | Promise<void> {
  if (type !== requestEvent && type !== controllerArgumentsEvent && type !== responseEvent) return pending;
  if (pending === undefined) return note(type, event, notes);
  return pending.then(() => note(type, event, notes));
}

/** Does `then` behind the work, also where it fails: a request that a firewall refuses has matched its route before. */
function whateverComes(work: () => void | Promise<void>, then: () => void): void | Promise<void> {
  let pending: void | Promise<void>;
  try {
    pending = work();
  } catch (error) {
    then();
    throw error;
  }
  return pending === undefined ? then() : pending.finally(then);
}

/** Notes what a stage led to. The type object of an event is the proof of what the event is. */
function note(type: unknown, event: unknown, notes: RouteNotes): void {
  if (type === requestEvent) {
    const { request } = event as RequestEvent; // its type object says so
    const recording = request.scope.get(requestRecording);
    if (recording !== undefined) noteRoute(recording, request, notes);
  } else if (type === controllerArgumentsEvent) {
    const { request, controller, arguments: values } = event as ControllerArgumentsEvent; // its type object says so
    request.scope.get(requestRecording)?.controller(controller, values, controller.arguments);
  } else {
    const { request, response } = event as ResponseEvent; // its type object says so
    const recording = request.scope.get(requestRecording);
    watchBody(response, recording);
    takeUnreadBody(request, recording);
  }
}

function noteLate(recording: Recording, onError: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    onError(error);
    recording.lateError(error);
  };
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

const intoApp = { bucket: 'app' } as const;
const intoProfiler = { bucket: 'profiler' } as const;

function openFor(profiler: Profiler, request: HttpRequest): void {
  const parent = request.scope.parent?.get(requestRecording);
  const into = isProfilerPath(request.rawPath) ? intoProfiler : intoApp;
  const recording = profiler.begin(request, parent === undefined ? into : { ...into, parent });
  request.scope.set(requestRecording, recording);
}

/** Told by the path before routing: a refused request for the profiler's pages is the profiler's as well. */
function isProfilerPath(path: string): boolean {
  return path === '/_profiler' || path.startsWith('/_profiler/');
}

/** One note for all requests that go the same way. */
interface RouteNotes {
  readonly explain: (request: HttpRequest) => MatchTrace;
  readonly ofRoutes: WeakMap<Route, RouteNote>;
  readonly ofMiss: RouteNote;
}

function createRouteNotes(explain: (request: HttpRequest) => MatchTrace): RouteNotes {
  return { explain, ofRoutes: new WeakMap(), ofMiss: { name: null, path: null, trace: explain } };
}

function noteOf(route: Route, { explain, ofRoutes }: RouteNotes): RouteNote {
  let note = ofRoutes.get(route);
  if (note === undefined) {
    const { name, path, defaults, variables } = route;
    // A match's parameters are a bare object, which is slow to ask for its names.
    const names = [...new Set([...Object.keys(defaults), ...variables])];
    ofRoutes.set(route, (note = { name, path, trace: explain, names }));
  }
  return note;
}

function noteRoute(recording: Recording, request: HttpRequest, notes: RouteNotes): void {
  const outcome = request.scope.getOwn(routingOutcome);
  if (outcome === undefined || outcome.kind === 'bad-request' || outcome.kind === 'answered') return;
  if (outcome.kind === 'match') recording.route(noteOf(outcome.route, notes), outcome.parameters);
  else if (outcome.kind === 'method-not-allowed') recording.route({ ...notes.ofMiss, allow: outcome.allow });
  else recording.route(notes.ofMiss);
}
