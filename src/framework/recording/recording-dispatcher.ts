import { createDispatcher, type Dispatcher, type EventType } from '#events';
import { type HttpRequest, requestUser } from '#http';
import type {
  ControllerArgumentsEvent,
  RequestEvent,
  ResponseEvent,
  TerminateEvent,
  ViewEvent,
} from '#kernel';
import {
  controllerArgumentsEvent,
  requestEvent,
  responseEvent,
  routingOutcome,
  terminateEvent,
  viewEvent,
} from '#kernel';
import type { BeginOptions, Profiler, Recording, RouteNote } from '#profiler';
import { createRecordingObserver, requestRecording } from '#profiler';
import type { MatchTrace, Route } from '#routing';
import type { AppFoundation } from '../app/app-foundation.js';
import { findPromises } from './find-promises.js';
import { takeUnreadBody, unreadBodyOf } from './take-unread-body.js';
import { watchBody } from './watch-body.js';

export interface RecordingDispatcherParts extends Pick<
  AppFoundation,
  'configuration' | 'isShown' | 'explain'
> {
  /** Paths, as sent, of which no record is kept. */
  readonly unrecordedPaths: ReadonlySet<string>;
  /** Called when a recording has begun. */
  readonly onBegin: () => void;
}

/**
 * A dispatcher whose request stage opens a recording and whose terminate stage closes it; in between every stage and
 * listener is timed, and what the stages lead to is noted.
 */
export function createRecordingDispatcher(profiler: Profiler, parts: RecordingDispatcherParts): Dispatcher {
  const { debug } = parts.configuration; // it is noted which listener set which header
  // The type object of the event says what it is.
  const watched = (type: EventType<never>, event: unknown): ResponseEvent | undefined =>
    type === responseEvent ? (event as ResponseEvent) : undefined; // see above
  const observer = createRecordingObserver(debug ? watched : undefined);
  const notes = createRouteNotes(parts.explain);
  return createDispatcher({
    ...observer,
    follower(type, event) {
      if (type === requestEvent) {
        const { request } = event as RequestEvent; // its own type object is the proof
        if (!parts.unrecordedPaths.has(request.rawPath)) {
          openFor(profiler, request, {
            mayProfile: debug && request.rawQuery !== '' && parts.isShown(request),
          });
          parts.onBegin();
        }
      }
      if (debug && type === viewEvent) noteResult(event as ViewEvent); // its type object says so
      return observer.follower(type, event);
    },
    ended(type, event, outcome) {
      if (type === terminateEvent) return close(profiler, event as TerminateEvent); // its own type object is the proof
      // A request that a firewall refuses has matched its route before.
      if (outcome === undefined || type === requestEvent) note(type, event, notes);
      return undefined;
    },
  });
}

/** A promise in the result is nearly always an `await` that was forgotten. */
function noteResult({ request, result }: ViewEvent): void {
  const promises = findPromises(result);
  if (promises.length > 0) request.scope.getOwn(requestRecording)?.section('result', { promises });
}

/** Notes what a stage led to. The type object of an event is the proof of what the event is. */
function note(type: EventType<never>, event: unknown, notes: RouteNotes): void {
  if (type === requestEvent) {
    const { request } = event as RequestEvent; // its type object says so
    const recording = request.scope.getOwn(requestRecording);
    if (recording !== undefined) noteRoute(recording, request, notes);
  } else if (type === controllerArgumentsEvent) {
    const { request, controller, arguments: values } = event as ControllerArgumentsEvent; // its type object says so
    request.scope.getOwn(requestRecording)?.controller(controller, values, controller.arguments);
  } else if (type === responseEvent) {
    const { request, response } = event as ResponseEvent; // its type object says so
    const recording = request.scope.getOwn(requestRecording);
    watchBody(response, recording);
    takeUnreadBody(request, recording);
  }
}

function close(profiler: Profiler, { request, response, sent }: TerminateEvent): void | Promise<void> {
  const recording = request.scope.getOwn(requestRecording);
  if (recording === undefined) return;
  noteUser(recording, request);
  const body = unreadBodyOf(request);
  if (body !== undefined) return body.then(() => profiler.finish(recording, response, sent));
  profiler.finish(recording, response, sent);
}

function noteUser(recording: Recording, request: HttpRequest): void {
  try {
    const user = request.scope.get(requestUser)?.();
    if (user !== undefined) recording.user(user.identifier);
  } catch {
    // A lazy firewall that nothing has queried: the record does not query it either.
  }
}

const intoApp = { bucket: 'app' } as const;
const intoProfiled = { bucket: 'app', mayProfile: true } as const;
const intoProfiler = { bucket: 'profiler' } as const;

function openFor(profiler: Profiler, request: HttpRequest, { mayProfile }: BeginOptions): void {
  const parent = request.scope.parent?.get(requestRecording);
  const into = isProfilerPath(request.rawPath) ? intoProfiler : mayProfile === true ? intoProfiled : intoApp;
  const recording = profiler.sample(request, parent === undefined ? into : { ...into, parent });
  if (recording !== undefined) request.scope.set(requestRecording, recording);
}

/** Recognised by the path, before routing: a refused request for the profiler's pages is the profiler's as well. */
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
    // A match's parameters are a bare object, whose names are slow to list.
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
