import {
  assertResponse,
  beginBody,
  HttpResponse,
  type HttpRequest,
  isBodiless,
  isStreamedBody,
  namesCoding,
  removeFalseCoding,
} from '#core/http';
import {
  describeThrown,
  type HttpError,
  isError,
  isHttpError,
  MethodNotAllowedError,
  NotFoundError,
} from '#core/errors';
import { ResourceNotFoundError } from '#core/routing';
import { resolveArguments, type ResolvedController } from '#framework/controller';
import { isCodedError, withoutStack } from '#core/coded-error';
import { classNameOf, headerText } from '#core/dump';
import { isPromise } from 'node:util/types';
import { callLayers, hasNoLayers } from './call-layers.js';
import { kernelErrors } from './exchange/error-codes.js';
import {
  controllerArgumentsEvent,
  controllerEvent,
  errorHandling,
  exceptionEvent,
  finishRequestEvent,
  type KernelExchange,
  type MethodOutcome,
  OwnResponseEvent,
  requestEvent,
  requireController,
  responseEvent,
  routingOutcome,
  type RoutingOutcome,
  TrackedExceptionEvent,
  viewEvent,
} from './exchange/kernel-exchange.js';
import { eventStage, type Stage, type StagePath, workStage } from './stage-path.js';

/** From the arguments to the controller's response: the stages that layers enclose. */
const controllerStages: readonly Stage[] = [
  workStage('arguments', {
    isSkipped: isDecided,
    run: ({ controller, request }) => resolveArguments(controller?.arguments ?? [], request),
    set: (exchange, values) => void (exchange.arguments = values),
  }),
  // Listeners check the resolved arguments: access is decided on the values that the controller receives.
  eventStage(controllerArgumentsEvent, {
    isSkipped: isDecided,
    open: (exchange) => ({
      request: exchange.request,
      controller: controllerOf(exchange),
      arguments: exchange.arguments,
    }),
    set(exchange, event) {
      exchange.controller = requireController(event.controller);
      exchange.arguments = event.arguments;
    },
  }),
  workStage('controller call', {
    isSkipped: isDecided,
    run: callController,
    set(exchange, result) {
      if (result instanceof HttpResponse) exchange.response = result;
      else exchange.result = result;
    },
  }),
  eventStage(viewEvent, {
    isSkipped: isDecided,
    open: ({ request, result }) => ({ request, result, response: undefined }),
    set(exchange, { result, response }) {
      if (response === undefined) throw isError(result) ? result : noResponse(exchange, result);
      exchange.response = response;
    },
    fail(exchange, error) {
      if (isCodedError(error) && error.code === 'HTTP_JSON_LOST') addControllerFrame(exchange, error);
      exchange.unanswered = { error };
    },
  }),
];

/** The only stage in which a thrown value becomes a response. */
const exceptionStage: Stage = eventStage(exceptionEvent, {
  isSkipped: ({ unanswered }) => unanswered === undefined,
  open: beginErrorHandling,
  run: dispatchError,
  set(exchange, event) {
    if (event.response === undefined) logUnanswered(exchange, event.error);
    exchange.response = event.response ?? lastResort();
    exchange.unanswered = undefined;
  },
  fail: sendLastResort,
});

/**
 * A request from top to bottom: each stage with its event, the condition that skips it (`isSkipped`), and the state it
 * sets (`set`). Errors of a stage are left in `unanswered` (`fail`) for the next exception stage, unless the stage
 * specifies otherwise.
 */
const requestStages: readonly Stage[] = [
  // An invalid request is rejected after the request listeners, even if one has set a response.
  eventStage(requestEvent, {
    isSkipped: never,
    open: ({ request }) => ({ request, response: undefined }),
    set(exchange, { request, response }) {
      const outcome = request.scope.getOwn(routingOutcome);
      if (outcome?.kind === 'bad-request') throw outcome.error;
      exchange.response = response;
    },
  }),
  workStage('routing outcome', { isSkipped: isDecided, run: applyRoutingOutcome, set: nothing }),
  eventStage(controllerEvent, {
    isSkipped: isDecided,
    open: (exchange) => ({ request: exchange.request, controller: controllerOf(exchange) }),
    set: (exchange, event) => void (exchange.controller = requireController(event.controller)),
  }),
  // Layers run the controller stages themselves, through `next()`, and set the response: the stages below are then
  // skipped.
  workStage('layers', {
    isSkipped: (exchange) => isDecided(exchange) || hasNoLayers(exchange),
    run: (exchange) => callLayers({ stages: controllerStages, end: ownResponseOf }, exchange),
    set: (exchange, response) => void (exchange.response = response),
  }),
  ...controllerStages,
  exceptionStage,
  workStage('content coding', {
    isSkipped: ({ response }) => response === undefined || !namesCoding(response),
    run: checkCoding,
    set: nothing,
  }),
  eventStage(responseEvent, {
    isSkipped: ({ isReady, unanswered }) => isReady || unanswered !== undefined,
    open: openResponse,
    set: storeResponse,
  }),
  workStage('body', {
    isSkipped: (exchange) => exchange.isReady || exchange.unanswered !== undefined,
    run: beginStream,
    set: makeReady,
  }),
  // A response listener's error is answered like any other; the error response then passes every response listener
  // once.
  exceptionStage,
  eventStage(responseEvent, {
    isSkipped: ({ isReady }) => isReady,
    open: openResponse,
    run: (exchange, event) =>
      exchange.services.dispatcher.dispatchToAll(responseEvent, event, (error) =>
        logFailure(exchange, error),
      ),
    set: storeResponse,
    fail: sendLastResort,
  }),
  workStage('body', {
    isSkipped: ({ isReady }) => isReady,
    run: beginStream,
    set: makeReady,
    fail: sendLastResort,
  }),
  eventStage(finishRequestEvent, {
    isSkipped: never,
    open: ({ request }) => ({ request }),
    run: (exchange, event) =>
      exchange.services.dispatcher.dispatchToAll(finishRequestEvent, event, (error) =>
        logFailure(exchange, error),
      ),
    set: nothing,
    fail: logFailure,
  }),
];

/** A request's path, from the request event to finish request. */
export const requestPath: StagePath = {
  stages: requestStages,
  end: ({ response }) => response ?? lastResort(),
};

function never(): boolean {
  return false;
}

function nothing(): void {}

/** Whether the request has a response, or an error to be answered. */
function isDecided({ response, unanswered }: KernelExchange): boolean {
  return response !== undefined || unanswered !== undefined;
}

/** Applies the routing outcome: finds the controller, redirects, or leaves an unmatched request's error. */
function applyRoutingOutcome(exchange: KernelExchange): void {
  const { request, services } = exchange;
  const outcome: RoutingOutcome = request.scope.getOwn(routingOutcome) ?? { kind: 'not-found' };
  switch (outcome.kind) {
    case 'match':
      exchange.controller = services.controllerOf(outcome.route);
      return;
    case 'redirect':
      exchange.response = HttpResponse.redirect(outcome.location, {
        status: outcome.status,
        external: !outcome.location.startsWith('/'), // absolute URLs are built by the router from the validated host
      });
      return;
    case 'method-not-allowed':
      return miss(exchange, () => methodNotAllowed(request, outcome));
    case 'bad-request':
      throw outcome.error;
    case 'answered': // a listener had set a response but removed it again
    case 'not-found':
      if (request.method === 'OPTIONS' && request.source.target === '*')
        exchange.response = HttpResponse.empty();
      else miss(exchange, () => notFound(request));
  }
}

/**
 * Leaves an unmatched request's error. It is not thrown, because unwinding would be the most expensive part of
 * answering such a request, and has a stack only with `traceMisses`, because the stack only lists calls inside the
 * kernel.
 */
function miss(exchange: KernelExchange, make: () => HttpError): void {
  exchange.unanswered = { error: exchange.services.traceMisses === false ? withoutStack(make) : make() };
}

function notFound(request: HttpRequest): NotFoundError {
  const referer = request.headers.get('referer');
  const from = referer === undefined || referer === '' ? '' : ` (from "${headerText(referer)}")`;
  return new NotFoundError(`No route found for "${request.method} ${request.url}"${from}`, {
    cause: new ResourceNotFoundError(request.path),
    expose: false, // the message contains request headers
  });
}

function methodNotAllowed(request: HttpRequest, { allow, fix }: MethodOutcome): MethodNotAllowedError {
  const message = `No route found for "${request.method} ${request.url}": Method Not Allowed (Allow: ${allow.join(', ')})`;
  const error = new MethodNotAllowedError(allow, message, { expose: false });
  return fix === undefined ? error : Object.assign(error, { fix });
}

/** Returns the controller, which earlier stages have set. */
function controllerOf({ controller }: KernelExchange): ResolvedController {
  return requireController(controller);
}

/**
 * Returns a copy that layers may change, because a controller may return the same response for every request; throws an
 * unanswered error.
 */
function ownResponseOf({ response, unanswered }: KernelExchange): HttpResponse {
  if (unanswered !== undefined) throw unanswered.error;
  return response?.copy() ?? lastResort(); // the fallback only satisfies the type: the view stage sets a response or fails
}

function callController(exchange: KernelExchange): unknown {
  const result = exchange.controller?.call(...exchange.arguments);
  return isPromise(result) || isThenable(result) ? Promise.resolve(result) : result;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function noResponse(exchange: KernelExchange, result: unknown): Error {
  const [what, hint = ''] = describeResult(result);
  const { name = 'unknown' } = exchange.controller ?? {};
  const error = kernelErrors.create('KERNEL_NO_RESPONSE', { controller: name, what, hint });
  addControllerFrame(exchange, error);
  return error;
}

/**
 * Adds the controller, which has already returned, to the stack: errors are displayed and grouped by their first
 * application frame.
 */
function addControllerFrame({ controller }: KernelExchange, error: Error): void {
  const { name = 'unknown', location } = controller ?? {};
  const { file, line } = location?.() ?? {};
  if (file === undefined) return;
  error.stack =
    error.stack?.replace(error.message, (text) => `${text}\n    at ${name} (${file}:${line}:1)`) ?? '';
}

function describeResult(result: unknown): [what: string, hint?: string] {
  if (result === undefined) return ['nothing', ' Is a return statement missing?'];
  const whichIsNone = ', which is not a response';
  if (result === null) return [`null${whichIsNone}`];
  if (typeof result === 'function') return [`a function${whichIsNone}`];
  if (typeof result !== 'object') return [`a ${typeof result}${whichIsNone}`];
  return [`an instance of ${classNameOf(result)}${whichIsNone}`, ' Its JSON would be empty.'];
}

function beginErrorHandling(exchange: KernelExchange): TrackedExceptionEvent {
  const event = new TrackedExceptionEvent(exchange.request, exchange.unanswered?.error, exchange.failure);
  exchange.failure = event;
  exchange.request.scope.set(errorHandling, event);
  return event;
}

/** Dispatches an error. If a listener throws, the remaining listeners handle that error instead. */
function dispatchError(exchange: KernelExchange, event: TrackedExceptionEvent): void | Promise<void> {
  return exchange.services.dispatcher.dispatch(exceptionEvent, event, (thrown, { name }) => {
    logReplaced(exchange, event.error, name);
    event.failed(thrown, name);
  });
}

/** Logs an error that is replaced by a listener's error, because only the latter is answered and logged as uncaught. */
function logReplaced({ services }: KernelExchange, error: unknown, listener: string): void {
  const level = isHttpError(error) && error.status < 500 ? 'notice' : 'critical';
  services.log[level](`The listener ${listener} threw while handling ${describeThrown(error)}`, {
    listener,
    error,
  });
}

function logUnanswered({ services }: KernelExchange, error: unknown): void {
  services.log.critical(`No listener answered an error: ${describeThrown(error)}`, { error });
}

/** Removes a content coding that does not match the body, before response listeners compress or change it. */
async function checkCoding(exchange: KernelExchange): Promise<void> {
  const { request, services } = exchange;
  const response = exchange.response?.copy(); // a controller may return the same response for every request
  if (response === undefined) return;
  try {
    const coding = await removeFalseCoding(response, request);
    exchange.response = response;
    if (coding !== undefined)
      services.log.debug(`Content-Encoding ${coding} was removed: the body does not have it.`);
  } catch (error) {
    if (!request.signal.aborted) throw error;
    exchange.response = HttpResponse.empty(); // the client has disconnected: no one receives a response
  }
}

function openResponse({ request, response }: KernelExchange): OwnResponseEvent {
  return new OwnResponseEvent(request, response ?? lastResort());
}

function storeResponse(exchange: KernelExchange, { response }: { readonly response: HttpResponse }): void {
  exchange.response = response;
  assertResponse(response);
}

/** Starts a streamed body while a failure can still be answered with an error. */
function beginStream({ request, response }: KernelExchange): void | Promise<void> {
  if (response === undefined || !isStreamedBody(response.body)) return;
  if (!isBodiless(request.method, response.status)) return begin(response, response.body, request);
}

type Body = Parameters<typeof beginBody>[0];

async function begin(response: HttpResponse, body: Body, { scope, signal }: HttpRequest): Promise<void> {
  try {
    response.body = await beginBody(body, scope);
  } catch (error) {
    if (!signal.aborted) throw error;
    response.body = null; // the client has disconnected and the body was aborted: no one receives a response
  }
}

function makeReady(exchange: KernelExchange): void {
  exchange.isReady = true;
}

function sendLastResort(exchange: KernelExchange, error: unknown): void {
  logFailure(exchange, error);
  exchange.response = lastResort();
  exchange.unanswered = undefined;
  exchange.isReady = true;
}

/** Logs an error that can no longer be turned into a response. */
function logFailure({ services }: KernelExchange, error: unknown): void {
  const what = 'A listener threw after its error could no longer be turned into a response';
  services.log.critical(`${what}: ${describeThrown(error)}`, { error });
}

/** Returns the response if even the error page failed; depends on nothing that the application can break. */
function lastResort(): HttpResponse {
  return HttpResponse.text('500 Internal Server Error\n', { status: 500 });
}
