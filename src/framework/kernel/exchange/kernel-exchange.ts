import type { Around, ResolvedController } from '#framework/controller';
import { type Dispatcher, type EventType, defineEvent } from '#core/events';
import { classNameOf } from '#core/dump';
import { type HttpRequest, HttpResponse, type SentResponse } from '#core/http';
import type { Logger } from '#core/log';
import type { Route } from '#core/routing';
import { type ScopeKey, createScopeKey } from '#core/scope';
import { kernelErrors } from './error-codes.js';

/** A kernel's services, which every stage may use. */
export interface KernelOptions {
  readonly dispatcher: Dispatcher;
  /** Returns a route's controller; called once per request. */
  readonly controllerOf: (route: Route) => ResolvedController;
  /** Receives errors that can no longer be turned into a response. */
  readonly log: Logger;
  /** Layers around every route's controller, outermost first; read for each request. */
  readonly around?: readonly Around[];
  /** Whether errors for unmatched requests have a stack, which only lists calls inside the kernel. Default true. */
  readonly traceMisses?: boolean;
  /** Whether requests are handled in debug, where mistakes that production tolerates are errors. Default false. */
  readonly debug?: boolean;
}

/** An in-flight request's state: the only object through which the stages pass values on. */
export class KernelExchange {
  readonly request: HttpRequest;
  readonly services: KernelOptions;
  controller: ResolvedController | undefined = undefined;
  arguments: unknown[] = [];
  /** Set if the controller returned something other than a response. */
  result: unknown = undefined;
  /** Once set, the stages before the response event are skipped. */
  response: HttpResponse | undefined = undefined;
  /** An error to be answered by the next exception stage; the stages before it are skipped. */
  unanswered: { readonly error: unknown } | undefined = undefined;
  /** The most recently answered error, and how it was answered. */
  failure: TrackedExceptionEvent | undefined = undefined;
  /** Whether the response has passed the response listeners and its body has started. */
  isReady = false;

  constructor(request: HttpRequest, services: KernelOptions) {
    this.request = request;
    this.services = services;
  }
}

/**
 * Dispatched first for every request. A listener that sets the response ends the stage, and no controller is called.
 */
export interface RequestEvent {
  readonly request: HttpRequest;
  response: HttpResponse | undefined;
}

export const requestEvent: EventType<RequestEvent> = defineEvent<RequestEvent>('request', {
  isStopped: (event) => event.response !== undefined,
});

/** Dispatched when the controller is known. A listener may replace it. */
export interface ControllerEvent {
  readonly request: HttpRequest;
  controller: ResolvedController;
}

export const controllerEvent: EventType<ControllerEvent> = defineEvent<ControllerEvent>('controller');

/** Dispatched when the arguments are resolved. Listeners may check or change them, or replace the controller. */
export interface ControllerArgumentsEvent {
  readonly request: HttpRequest;
  controller: ResolvedController;
  arguments: unknown[];
}

export const controllerArgumentsEvent: EventType<ControllerArgumentsEvent> =
  defineEvent<ControllerArgumentsEvent>('controller_arguments');

/** Dispatched if the controller returned something other than a response; a listener turns the result into one. */
export interface ViewEvent {
  readonly request: HttpRequest;
  readonly result: unknown;
  response: HttpResponse | undefined;
}

export const viewEvent: EventType<ViewEvent> = defineEvent<ViewEvent>('view', {
  isStopped: (event) => event.response !== undefined,
});

/** Dispatched when there is a response. Listeners may change or replace it; the event copies the replacement. */
export interface ResponseEvent {
  readonly request: HttpRequest;
  response: HttpResponse;
}

/** A response event that works on copies, because a controller may return one response object for several requests. */
export class OwnResponseEvent implements ResponseEvent {
  readonly request: HttpRequest;
  #response: HttpResponse;

  constructor(request: HttpRequest, response: HttpResponse) {
    this.request = request;
    this.#response = requireResponse(response).copy();
  }

  get response(): HttpResponse {
    return this.#response;
  }

  /** Stores a copy and seals the given response: later changes to that object would have no effect, so they throw. */
  set response(response: HttpResponse) {
    if (response === this.#response) return;
    this.#response = requireResponse(response).copy();
    response.seal();
  }
}

/** Returns a listener's response. Throws `KERNEL_LISTENER_RESPONSE` for any other value, which JavaScript allows. */
function requireResponse(response: unknown): HttpResponse {
  if (response instanceof HttpResponse) return response;
  const what = describeValue(response);
  throw kernelErrors.create('KERNEL_LISTENER_RESPONSE', { what });
}

/** Returns a listener's controller. Throws `KERNEL_LISTENER_CONTROLLER` for a value that is not a controller. */
export function requireController(controller: unknown): ResolvedController {
  const given = controller as ResolvedController | undefined; // each part is checked below
  if (typeof given === 'object' && typeof given?.call === 'function' && Array.isArray(given.arguments))
    return given;
  throw kernelErrors.create('KERNEL_LISTENER_CONTROLLER', { what: describeValue(controller) });
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' ? `an instance of ${classNameOf(value)}` : `a ${typeof value}`;
}

export const responseEvent: EventType<ResponseEvent> = defineEvent<ResponseEvent>('response');

/** Dispatched when something was thrown. The first listener that sets a response ends the stage. */
export interface ExceptionEvent {
  readonly request: HttpRequest;
  /** The thrown value, of any type. A listener may replace it. */
  error: unknown;
  response: HttpResponse | undefined;
}

export const exceptionEvent: EventType<ExceptionEvent> = defineEvent<ExceptionEvent>('exception', {
  isStopped: (event) => event.response !== undefined,
  passed(event, { name }) {
    if (event instanceof TrackedExceptionEvent) event.passed(name);
  },
});

/** An error that another one replaced before it was answered. */
export interface ReplacedError {
  readonly error: unknown;
  /** Name of the listener that assigned `event.error`, or that threw while handling the error. */
  readonly by: string;
  readonly how: 'assigned' | 'threw';
}

/** How a request's error is being answered. */
export interface ErrorHandling {
  /** The errors that were replaced, oldest first. */
  readonly replaced: readonly ReplacedError[];
  /** Name of the listener that set the response. */
  readonly by: string | undefined;
}

/** Set with a request's first error. */
export const errorHandling: ScopeKey<ErrorHandling> = createScopeKey<ErrorHandling>('error answer');

/** Set if the response to an error asks for a login: the refusal does not count as a request failure. */
export const isLoginChallenge: ScopeKey<boolean> = createScopeKey<boolean>('is login challenge');

/** An exception event that keeps replaced errors, and names the listeners. */
export class TrackedExceptionEvent implements ExceptionEvent, ErrorHandling {
  readonly request: HttpRequest;
  error: unknown;
  response: HttpResponse | undefined = undefined;
  by: string | undefined = undefined;
  readonly replaced: ReplacedError[] = [];
  #current: unknown;

  constructor(request: HttpRequest, error: unknown, before: TrackedExceptionEvent | undefined) {
    this.request = request;
    this.error = this.#current = error;
    // A response listener threw after an error was answered.
    if (before !== undefined && !Object.is(before.error, error))
      this.replaced.push(...before.replaced, { error: before.error, by: responseEvent.name, how: 'threw' });
  }

  /** Records what the listener that has returned did. */
  passed(name: string): void {
    if (!Object.is(this.error, this.#current)) this.#replace(name, 'assigned');
    if (this.response !== undefined) this.by = name;
  }

  /** Replaces the error with the one thrown by its listener. */
  failed(error: unknown, name: string): void {
    this.response = undefined;
    if (!Object.is(this.error, this.#current)) this.#replace(name, 'assigned');
    if (Object.is(error, this.error)) return; // the listener rethrew the error that it was called with
    this.error = error;
    this.#replace(name, 'threw');
  }

  #replace(by: string, how: ReplacedError['how']): void {
    if (this.replaced.length < maxReplaced) this.replaced.push({ error: this.#current, by, how });
    this.#current = this.error;
  }
}

/** Maximum number of replaced errors that are kept for a request. */
const maxReplaced = 20;

/** Dispatched when the kernel has finished the request, just before the response is sent. */
export interface FinishRequestEvent {
  readonly request: HttpRequest;
}

export const finishRequestEvent: EventType<FinishRequestEvent> =
  defineEvent<FinishRequestEvent>('finish_request');

/** Dispatched when the last byte was sent or the client disconnected. */
export interface TerminateEvent {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly sent: SentResponse;
}

export const terminateEvent: EventType<TerminateEvent> = defineEvent<TerminateEvent>('terminate');

/**
 * The routing decision, which takes effect after the last request listener, so that even a 404 has a locale, a user and
 * a firewall.
 */
export type RoutingOutcome =
  | { readonly kind: 'match'; readonly route: Route; readonly parameters: Readonly<Record<string, unknown>> }
  | { readonly kind: 'not-found' }
  | MethodOutcome
  /** `location` is a path on this site with its query, or an absolute URL built by the router. */
  | {
      readonly kind: 'redirect';
      readonly location: string;
      readonly status: 301 | 302 | 307 | 308;
      readonly by: string;
    }
  /** No route matches, but a listener has set a response. */
  | { readonly kind: 'answered' }
  /** The request is invalid; takes precedence over a response that a listener has set. */
  | { readonly kind: 'bad-request'; readonly error: unknown };

/** The value of `by` for the redirect to a path with a locale. */
export const localeRewrite = 'locale rewrite';

/** The path exists for other methods: from routes, or from a listener such as a firewall. */
export interface MethodOutcome {
  readonly kind: 'method-not-allowed';
  readonly allow: readonly string[];
  /** Names the path's handler if it is not a route. */
  readonly fix?: string;
}

/** The current request's routing outcome. Listeners after the router may replace it, as the locale rewrite does. */
export const routingOutcome: ScopeKey<RoutingOutcome> = createScopeKey<RoutingOutcome>('routing outcome');

/**
 * Set for requests to pages with their own guard: the application's access rules do not apply to them, unless a rule's
 * path or route contains this word.
 */
export const ownGuard: ScopeKey<string> = createScopeKey<string>('guard of its own');
