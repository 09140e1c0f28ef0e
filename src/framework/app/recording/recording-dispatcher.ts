import { setTimeout as pause } from 'node:timers/promises';
import { isPromise, isProxy } from 'node:util/types';
import { createDispatcher, type Dispatcher, type EventType } from '#core/events';
import type { FlattenOptions } from '#core/errors';
import {
  type HttpRequest,
  type HttpResponse,
  isClientGone,
  isAsyncIterable,
  lostInJson,
  requestUser,
} from '#core/http';
import {
  type ControllerArgumentsEvent,
  controllerArgumentsEvent,
  type ExceptionEvent,
  exceptionEvent,
  type RequestEvent,
  requestEvent,
  type ResponseEvent,
  responseEvent,
  routingOutcome,
  type TerminateEvent,
  terminateEvent,
  type ViewEvent,
  viewEvent,
} from '#framework/kernel';
import {
  createRecordingObserver,
  isClientHidden,
  registerSpan,
  type Profiler,
  type Recording,
  requestRecording,
  type RouteNote,
} from '#profiler';
import type { MatchTrace, Route } from '#core/routing';
import { createScopeKey } from '#core/scope';
import type { AppFoundation } from '../app-options.js';
import { recordAnswer } from '../failures/thrown-report.js';

interface RecordingDispatcherParts extends Pick<
  AppFoundation,
  'configuration' | 'isShown' | 'explain' | 'flatten'
> {
  /** Paths, as sent, whose requests are not recorded. */
  readonly unrecordedPaths: ReadonlySet<string>;
  readonly onBegin: () => void;
  /** Called if the recorder fails at the start of a request. */
  readonly onFailure: (error: unknown) => void;
}

/** Opens a recording in the request stage, closes it in the terminate stage, and notes times and facts in between. */
export function createRecordingDispatcher(profiler: Profiler, parts: RecordingDispatcherParts): Dispatcher {
  const { debug } = parts.configuration;
  // In debug, response events are observed to record which listener has set which header.
  const watched = (type: EventType<never>, event: unknown): ResponseEvent | undefined =>
    type === responseEvent ? (event as ResponseEvent) : undefined; // implied by its type object
  const observer = createRecordingObserver(debug ? watched : undefined);
  const notes = new RouteNotes(parts.explain);
  const dispatcher = createDispatcher({
    ...observer,
    follower(type, event) {
      if (type === requestEvent) {
        const { request } = event as RequestEvent; // implied by its type object
        if (!parts.unrecordedPaths.has(request.rawPath)) begin(profiler, parts, request);
      }
      if (debug && type === viewEvent) noteResult(event as ViewEvent); // implied by its type object
      return observer.follower(type, event);
    },
    ended(type, event, outcome) {
      if (type === terminateEvent) return close(profiler, dispatcher, event as TerminateEvent); // implied by its type object
      // Also after a failed request stage: if the firewall refuses a request, its route is already known.
      if (type === exceptionEvent) noteAnswer(event as ExceptionEvent, parts.flatten); // implied by its type object
      else if (outcome === undefined || type === requestEvent) note(type, event, notes);
      return undefined;
    },
  });
  return dispatcher;
}

/** Records the parts of a multipart body as they are read, in memory or as a stream. */
function observeParts(request: HttpRequest, recording: Recording): void {
  const { source, headers } = request;
  if (source.body !== undefined && /^multipart\//i.test(headers.get('content-type') ?? ''))
    request.observeBody((chunk) => recording.requestBody(chunk));
}

/** Opens a request's recording. Failures here never affect the request: it continues unrecorded. */
function begin(
  profiler: Profiler,
  { isShown, onBegin, onFailure, configuration }: RecordingDispatcherParts,
  request: HttpRequest,
): void {
  try {
    const mayProfile = isShown(request);
    if (!mayProfile) request.scope.set(isClientHidden, true);
    const origin = isProfilerPath(request.rawPath) ? 'profiler' : 'app';
    const recording = profiler.sample(request, { origin, mayProfile });
    if (recording !== undefined) {
      request.scope.set(requestRecording, recording);
      if (!configuration.debug) request.scope.set(lostInJson, { lost: [], nulled: [] }); // in debug, it is an error
      observeParts(request, recording);
    }
    onBegin();
  } catch (error) {
    onFailure(error);
  }
}

/** Records promises in the result, which are nearly always a missing `await`. */
function noteResult({ request, result }: ViewEvent): void {
  const promises = findPromises(result);
  if (promises.length > 0) request.scope.getOwn(requestRecording)?.section('result', { promises });
}

function noteAnswer(event: ExceptionEvent, flatten: FlattenOptions): void {
  const recording = event.request.scope.getOwn(requestRecording);
  if (recording !== undefined) recordAnswer(event, recording, flatten);
}

/** Records a stage's result: the route, the controller with its arguments, or the response body. */
function note(type: EventType<never>, event: unknown, notes: RouteNotes): void {
  if (type === requestEvent) {
    const { request } = event as RequestEvent; // implied by its type object
    const recording = request.scope.getOwn(requestRecording);
    if (recording !== undefined) notes.note(recording, request);
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

function close(
  profiler: Profiler,
  { listenerIds }: Dispatcher,
  { request, response, sent }: TerminateEvent,
): void | Promise<void> {
  const recording = request.scope.getOwn(requestRecording);
  if (recording === undefined) return;
  noteUser(recording, request);
  const { lost = [], nulled = [] } = request.scope.getOwn(lostInJson) ?? {};
  if (lost.length + nulled.length > 0) recording.section('result', { promises: [], lost, nulled });
  recording.listeners(listenerIds);
  const body = unreadBodyOf(request);
  if (body !== undefined) return body.then(() => profiler.finish(recording, response, sent));
  profiler.finish(recording, response, sent);
}

function noteUser(recording: Recording, request: HttpRequest): void {
  try {
    const user = request.scope.get(requestUser)?.();
    if (user !== undefined) recording.user(user.identifier);
  } catch {
    // The user is an application object, whose getters may throw.
  }
}

/** Recognises the profiler by its paths, because refused requests do not match its routes. */
export function isProfilerPath(path: string): boolean {
  return path === '/_profiler' || path.startsWith('/_profiler/');
}

/** Records a request's route; route facts are shared by all requests to the same route. */
class RouteNotes {
  readonly #ofRoutes = new WeakMap<Route, RouteNote>();
  readonly #trace: (request: HttpRequest) => MatchTrace;

  constructor(explain: (request: HttpRequest) => MatchTrace) {
    this.#trace = explain;
  }

  note(recording: Recording, { scope }: HttpRequest): void {
    const outcome = scope.getOwn(routingOutcome);
    if (outcome === undefined || outcome.kind === 'bad-request' || outcome.kind === 'answered') return;
    if (outcome.kind === 'match') return recording.route(this.#of(outcome.route), outcome.parameters);
    const allow = outcome.kind === 'method-not-allowed' ? { allow: outcome.allow } : {};
    recording.route({ name: null, path: null, trace: this.#trace, ...allow });
  }

  #of(route: Route): RouteNote {
    let note = this.#ofRoutes.get(route);
    if (note === undefined) {
      const { name, path, defaults, variables } = route;
      // Listed once per route: listing the keys of each match's parameters, a null-prototype object, is slow.
      const names = [...new Set([...Object.keys(defaults), ...variables])];
      this.#ofRoutes.set(route, (note = { name, path, trace: this.#trace, names }));
    }
    return note;
  }
}

const maxDepth = 3;
const maxValues = 500;
const maxFound = 5;

/** Returns the paths to promises in a result (`items.0.author`), which JSON renders as `{}`. Calls no foreign code. */
export function findPromises(result: unknown): readonly string[] {
  const found: string[] = [];
  let left = maxValues;
  const look = (value: unknown, path: string, depth: number): void => {
    if (typeof value !== 'object' || value === null || left-- <= 0 || found.length >= maxFound) return;
    if (isPromise(value)) found.push(path);
    else if (!isProxy(value) && depth < maxDepth)
      for (const name of Object.keys(value).slice(0, left)) {
        const inner: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
        look(inner, path === '' ? name : `${path}.${name}`, depth + 1);
      }
  };
  look(result, '', 0);
  return found;
}

/** Maximum announced size in bytes of a body that is read only for the record, which stores no more than that. */
const maxBytes = 65_536;
/** Milliseconds that a record waits after the response for a body that is still being received. */
const maxWaitMs = 5;

const taking = createScopeKey<Promise<void>>('unread body');

/**
 * Reads a body that the application has not read by the time of its response, so that the record contains it. The
 * response does not wait for it. Does not read bodies that announce more than a record stores, or whose client waits
 * for `100 Continue`.
 */
function takeUnreadBody(request: HttpRequest, recording: Recording | undefined): void {
  const { source, headers, scope } = request;
  if (recording === undefined || source.body === undefined || request.readBytes !== undefined) return;
  if (headers.has('expect')) return;
  if (Number(headers.get('content-length') ?? 0) > maxBytes) return;
  const taken = request.bytes().then(
    () => recording.unreadBody(),
    () => undefined, // already read as a stream, aborted, or too large: the record has the announced size
  );
  scope.set(taking, taken);
}

/** Resolves when the unread body was received, or after `maxWaitMs`; undefined if no body is being received. */
function unreadBodyOf(request: HttpRequest): Promise<void> | undefined {
  const taken = request.scope.getOwn(taking);
  return taken === undefined || request.readBytes !== undefined
    ? undefined
    : Promise.race([taken, pause(maxWaitMs)]);
}

/**
 * Records a response body: streams while they are sent, bytes immediately, because they may be overwritten, text at the
 * end.
 */
function watchBody(response: HttpResponse, recording: Recording | undefined): void {
  const { body } = response;
  if (recording === undefined) return;
  if (body instanceof Uint8Array) recording.sentBytes(body);
  if (!isAsyncIterable(body)) return; // the kernel refuses what is no body
  response.body = recordChunks(body, recording);
}

/** The application's work while its response is being streamed. */
const streamSpan = registerSpan({ name: 'stream', category: 'stream' });

async function* recordChunks(
  body: AsyncIterable<Uint8Array | string>,
  recording: Recording,
): AsyncGenerator<Uint8Array | string> {
  const span = recording.enter(streamSpan);
  recording.streams();
  try {
    for await (const chunk of body) {
      recording.firstByte();
      // Chunks with other types are refused when they are sent.
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) recording.responseBody(chunk);
      yield chunk;
    }
  } catch (error) {
    if (!isClientGone(error, recording.request)) recording.lateError(error);
    throw error;
  } finally {
    recording.leave(span);
  }
}
