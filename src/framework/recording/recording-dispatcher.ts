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
  /** Paths, as sent, whose requests are not recorded. */
  readonly unrecordedPaths: ReadonlySet<string>;
  /** Called when a recording has started. */
  readonly onBegin: () => void;
}

/**
 * Creates a dispatcher that opens a recording in the request stage and closes it in the terminate stage. In between, it
 * measures the time of each stage and listener, and records the route, the controller and the response.
 */
export function createRecordingDispatcher(profiler: Profiler, parts: RecordingDispatcherParts): Dispatcher {
  const { debug } = parts.configuration;
  // In debug, response events are observed to record which listener has set which header.
  const watched = (type: EventType<never>, event: unknown): ResponseEvent | undefined =>
    type === responseEvent ? (event as ResponseEvent) : undefined; // implied by its type object
  const observer = createRecordingObserver(debug ? watched : undefined);
  const notes = createRouteNotes(parts.explain);
  return createDispatcher({
    ...observer,
    follower(type, event) {
      if (type === requestEvent) {
        const { request } = event as RequestEvent; // implied by its type object
        if (!parts.unrecordedPaths.has(request.rawPath)) {
          openRecording(profiler, request, {
            mayProfile: debug && request.rawQuery !== '' && parts.isShown(request),
          });
          parts.onBegin();
        }
      }
      if (debug && type === viewEvent) noteResult(event as ViewEvent); // implied by its type object
      return observer.follower(type, event);
    },
    ended(type, event, outcome) {
      if (type === terminateEvent) return close(profiler, event as TerminateEvent); // implied by its type object
      // Also after a failed request stage: the route of a request that the firewall refuses is already known.
      if (outcome === undefined || type === requestEvent) note(type, event, notes);
      return undefined;
    },
  });
}

/** Records promises in the result, which are nearly always a forgotten `await`. */
function noteResult({ request, result }: ViewEvent): void {
  const promises = findPromises(result);
  if (promises.length > 0) request.scope.getOwn(requestRecording)?.section('result', { promises });
}

/** Records the result of a stage: the route, the controller with its arguments, or the response body. */
function note(type: EventType<never>, event: unknown, notes: RouteNotes): void {
  if (type === requestEvent) {
    const { request } = event as RequestEvent; // implied by its type object
    const recording = request.scope.getOwn(requestRecording);
    if (recording !== undefined) noteRoute(recording, request, notes);
  } else if (type === controllerArgumentsEvent) {
    const { request, controller, arguments: values } = event as ControllerArgumentsEvent; // implied by its type object
    request.scope.getOwn(requestRecording)?.controller(controller, values, controller.arguments);
  } else if (type === responseEvent) {
    const { request, response } = event as ResponseEvent; // implied by its type object
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
    // A lazy firewall has not loaded the user; the record must not load it either.
  }
}

const appBucket = { bucket: 'app' } as const;
const profiledAppBucket = { bucket: 'app', mayProfile: true } as const;
const profilerBucket = { bucket: 'profiler' } as const;

function openRecording(profiler: Profiler, request: HttpRequest, { mayProfile }: BeginOptions): void {
  const parent = request.scope.parent?.get(requestRecording);
  const into = isProfilerPath(request.rawPath)
    ? profilerBucket
    : mayProfile === true
      ? profiledAppBucket
      : appBucket;
  const recording = profiler.sample(request, parent === undefined ? into : { ...into, parent });
  if (recording !== undefined) request.scope.set(requestRecording, recording);
}

/** Recognises requests for the profiler by their path, because refused requests do not match its routes. */
function isProfilerPath(path: string): boolean {
  return path === '/_profiler' || path.startsWith('/_profiler/');
}

/** Cached route notes, which are the same for all requests of a route. */
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
    // Listed here once per route: listing the keys of each match's parameters, an object without a prototype, is slow.
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
