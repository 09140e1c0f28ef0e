import {
  HttpResponse,
  type HttpRequest,
  assertResponse,
  beginBody,
  isBodiless,
  isStreamedBody,
} from '#core/http';
import {
  errorHandling,
  exceptionEvent,
  TrackedExceptionEvent,
  type ResponseEvent,
  OwnResponseEvent,
  responseEvent,
  finishRequestEvent,
  type RequestEvent,
  requestEvent,
  routingOutcome,
  controllerEvent,
  type ControllerEvent,
  type MethodOutcome,
  type RoutingOutcome,
  controllerArgumentsEvent,
  type ControllerArgumentsEvent,
  viewEvent,
  type ViewEvent,
  attempt,
  type KernelExchange,
  whenDone,
  runSteps,
  requireController,
} from './exchange/kernel-exchange.js';
import {
  describeThrown,
  type HttpError,
  isError,
  isHttpError,
  MethodNotAllowedError,
  NotFoundError,
  withoutStack,
} from '#core/errors';
import { ResourceNotFoundError } from '#core/routing';
import { type Around, resolveArguments } from '#framework/controller';
import { isCodedError } from '#core/coded-error';
import { classNameOf, headerText } from '#core/dump';
import { kernelErrors } from './exchange/error-codes.js';
import { isPromise } from 'node:util/types';

const answerSteps = [openRequest, chooseController, answerRoute] as const;

/**
 * Runs the stages from the request event to finish request, and returns the response; never throws. Returns a promise only if a step is
 * asynchronous, and then a single one for all remaining steps: while asynchronous hooks are active, every additional
 * promise costs as much as a listener.
 */
export function passStages(exchange: KernelExchange): HttpResponse | Promise<HttpResponse> {
  let pending: void | Promise<void>;
  try {
    pending = runSteps(answerSteps, exchange);
  } catch (error) {
    return conclude(exchange, answerFailure(exchange, error));
  }
  if (pending === undefined) return conclude(exchange, answerMiss(exchange));
  return pending.then(
    () => conclude(exchange, answerMiss(exchange)),
    (error: unknown) => conclude(exchange, answerFailure(exchange, error)),
  );
}

/** Runs the request listeners. An invalid request is rejected after them, even if one has set a response. */
function openRequest(exchange: KernelExchange): void | Promise<void> {
  const { request, services } = exchange;
  const event: RequestEvent = { request, response: undefined };
  return whenDone(services.dispatcher.dispatch(requestEvent, event), storeRequestResult, exchange, event);
}

function storeRequestResult(exchange: KernelExchange, { request, response }: RequestEvent): void {
  const outcome = request.scope.getOwn(routingOutcome);
  if (outcome?.kind === 'bad-request') throw outcome.error;
  exchange.response = response;
}

/** Applies the routing outcome: finds the controller, redirects, or stores the error of an unmatched request. */
export function chooseController(exchange: KernelExchange): void | Promise<void> {
  const { request, services } = exchange;
  const outcome: RoutingOutcome = request.scope.getOwn(routingOutcome) ?? { kind: 'not-found' };
  switch (outcome.kind) {
    case 'match': {
      const event = { request, controller: services.controllerOf(outcome.route) };
      return whenDone(services.dispatcher.dispatch(controllerEvent, event), storeController, exchange, event);
    }
    case 'redirect':
      exchange.response = HttpResponse.redirect(outcome.location, {
        status: outcome.status,
        external: !outcome.location.startsWith('/'), // absolute URLs are built by the router from the validated host
      });
      return;
    case 'method-not-allowed':
      exchange.miss = createMiss(exchange, () => methodNotAllowed(request, outcome));
      return;
    case 'bad-request':
      throw outcome.error;
    case 'answered': // a listener had set a response but removed it again
    case 'not-found':
      if (request.method === 'OPTIONS' && request.source.target === '*')
        exchange.response = HttpResponse.empty();
      else exchange.miss = createMiss(exchange, () => notFound(request));
  }
}

function storeController(exchange: KernelExchange, event: ControllerEvent): void {
  exchange.controller = requireController(event.controller);
}

/** Creates the error without a stack unless `traceMisses` is on: its stack only lists calls inside the kernel. */
function createMiss({ services }: KernelExchange, make: () => HttpError): HttpError {
  return services.traceMisses === false ? withoutStack(make) : make();
}

function notFound(request: HttpRequest): NotFoundError {
  const referer = request.headers.get('referer');
  const from = referer === undefined || referer === '' ? '' : ` (from "${headerText(referer)}")`;
  return new NotFoundError(`No route found for "${request.method} ${request.url}"${from}`, {
    cause: new ResourceNotFoundError(request.path),
    expose: false, // the message contains headers of the request
  });
}

function methodNotAllowed(request: HttpRequest, { allow, fix }: MethodOutcome): MethodNotAllowedError {
  const message = `No route found for "${request.method} ${request.url}": Method Not Allowed (Allow: ${allow.join(', ')})`;
  const error = new MethodNotAllowedError(allow, message, { expose: false });
  return fix === undefined ? error : Object.assign(error, { fix });
}

const controllerSteps = [resolveControllerArguments, callController] as const;
const noLayers: readonly Around[] = [];

/** Runs what follows, from the arguments to the view event, inside the layers of the application and of the route. */
export function answerRoute(exchange: KernelExchange): void | Promise<void> {
  const outer = exchange.services.around ?? noLayers;
  const own = exchange.controller?.around ?? noLayers;
  if (outer.length + own.length === 0) return runSteps(controllerSteps, exchange);
  const answer = callLayer(exchange, outer.length === 0 ? own : [...outer, ...own]);
  if (answer instanceof Promise) return answer.then((response) => void (exchange.response = response));
  exchange.response = answer;
}

/** Calls the layer at `index`, whose `next` calls the following ones and finally the controller. */
function callLayer(
  exchange: KernelExchange,
  layers: readonly Around[],
  index = 0,
): HttpResponse | Promise<HttpResponse> {
  const layer = layers[index];
  if (layer === undefined) return callInnermost(exchange);
  let isPassed = false;
  const answer: unknown = layer(exchange.request, () => {
    if (isPassed) throw kernelErrors.create('KERNEL_NEXT_TWICE', { name: layerName(layer) });
    isPassed = true;
    return callLayer(exchange, layers, index + 1);
  });
  if (answer instanceof HttpResponse) return answer;
  return Promise.resolve(answer).then((response) => {
    if (response instanceof HttpResponse) return response;
    throw kernelErrors.create('KERNEL_AROUND_RESULT', { name: layerName(layer), what: typeof response });
  });
}

function callInnermost(exchange: KernelExchange): HttpResponse | Promise<HttpResponse> {
  const pending = runSteps(controllerSteps, exchange);
  return pending === undefined ? ownResponseOf(exchange) : pending.then(() => ownResponseOf(exchange));
}

/** Returns a copy that the layers may change: a controller may return the same response object for every request. */
function ownResponseOf({ response }: KernelExchange): HttpResponse {
  // The fallback is only for the type: the last step sets the response or throws.
  return response?.copy() ?? new HttpResponse(null, { status: 500 });
}

function layerName(layer: Around): string {
  return layer.name || 'anonymous';
}

function callController(exchange: KernelExchange): void | Promise<void> {
  const result = exchange.controller?.call(...exchange.arguments);
  // `then` instead of `await`: while asynchronous hooks are active, every additional promise costs as much as a listener.
  if (isPromise(result)) return result.then((value) => makeResponse(exchange, value));
  if (isThenable(result)) return Promise.resolve(result).then((value) => makeResponse(exchange, value));
  return makeResponse(exchange, result);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Resolves the arguments before listeners check them: access is decided on the values that the controller gets. */
function resolveControllerArguments(exchange: KernelExchange): void | Promise<void> {
  const { controller, request } = exchange;
  if (controller === undefined) return;
  const values = resolveArguments(controller.arguments, request);
  if (values instanceof Promise)
    return values.then((resolved) => dispatchArguments(exchange, controller, resolved));
  return dispatchArguments(exchange, controller, values);
}

function dispatchArguments(
  exchange: KernelExchange,
  controller: NonNullable<KernelExchange['controller']>,
  values: unknown[],
): void | Promise<void> {
  const event = { request: exchange.request, controller, arguments: values };
  const pending = exchange.services.dispatcher.dispatch(controllerArgumentsEvent, event);
  return whenDone(pending, storeArguments, exchange, event);
}

function storeArguments(exchange: KernelExchange, event: ControllerArgumentsEvent): void {
  exchange.controller = requireController(event.controller);
  exchange.arguments = event.arguments;
}

function makeResponse(exchange: KernelExchange, result: unknown): void | Promise<void> {
  if (result instanceof HttpResponse) {
    exchange.response = result;
    return;
  }
  const event: ViewEvent = { request: exchange.request, result, response: undefined };
  const view = { exchange, event };
  return whenDone(attempt(dispatchView, view, rethrowViewError), storeViewResponse, exchange, event);
}

interface View {
  readonly exchange: KernelExchange;
  readonly event: ViewEvent;
}

function dispatchView({ exchange, event }: View): void | Promise<void> {
  return exchange.services.dispatcher.dispatch(viewEvent, event);
}

function rethrowViewError({ exchange }: View, error: unknown): never {
  if (isCodedError(error) && error.code === 'HTTP_JSON_LOST') addControllerFrame(exchange, error);
  throw error;
}

function storeViewResponse(exchange: KernelExchange, event: ViewEvent): void {
  const { result, response } = event;
  if (response === undefined) throw isError(result) ? result : noResponse(exchange, result);
  exchange.response = response;
}

function noResponse(exchange: KernelExchange, result: unknown): Error {
  const [what, hint = ''] = describeResult(result);
  const { name = 'unknown' } = exchange.controller ?? {};
  const error = kernelErrors.create('KERNEL_NO_RESPONSE', { controller: name, what, hint });
  addControllerFrame(exchange, error);
  return error;
}

/** Adds the controller, which has returned, to the stack, by whose first application frame errors are shown and grouped. */
function addControllerFrame({ controller }: KernelExchange, error: Error): void {
  const { name = 'unknown', location } = controller ?? {};
  const { file, line } = location?.() ?? {};
  if (file === undefined) return;
  error.stack =
    error.stack?.replace(error.message, (text) => `${text}\n    at ${name} (${file}:${line}:1)`) ?? '';
}

function describeResult(result: unknown): [what: string, hint?: string] {
  if (result === undefined) return ['undefined', ' Is a return statement missing?'];
  if (result === null) return ['null'];
  if (typeof result === 'function') return ['a function'];
  if (typeof result !== 'object') return [typeof result];
  return [`an object of the class ${classNameOf(result)}`, ' JSON keeps nothing of it.'];
}

/** Runs the response event and finish request when `answering` is done. */
function conclude(
  exchange: KernelExchange,
  answering: void | Promise<void>,
): HttpResponse | Promise<HttpResponse> {
  const pending = whenDone(answering, filterAndFinish, exchange, undefined);
  return pending === undefined ? responseOf(exchange) : pending.then(() => responseOf(exchange));
}

function filterAndFinish(exchange: KernelExchange): void | Promise<void> {
  return whenDone(filter(exchange), finish, exchange, undefined);
}

function responseOf({ response }: KernelExchange): HttpResponse {
  return response ?? new HttpResponse(null, { status: 500 });
}

/** Logs an error that can no longer be turned into a response. */
function logFailure({ services }: KernelExchange, error: unknown): void {
  const what = 'A listener failed at a point where its error could not be answered';
  services.log.critical(`${what}: ${describeThrown(error)}`, { error });
}

function answerMiss(exchange: KernelExchange): void | Promise<void> {
  return exchange.miss === undefined ? undefined : answerFailure(exchange, exchange.miss);
}

/**
 * The exception event: the only place where a thrown value becomes a response. The error of a listener that throws is answered by the
 * listeners after it, in place of the one that it handled.
 */
function answerFailure(exchange: KernelExchange, error: unknown): void | Promise<void> {
  const { request, services } = exchange;
  const event = new TrackedExceptionEvent(request, error, exchange.failure);
  exchange.failure = event;
  request.scope.set(errorHandling, event);
  const pending = services.dispatcher.dispatch(exceptionEvent, event, (thrown, { name }) => {
    logUnanswered(exchange, event.error, name);
    event.failed(thrown, name);
  });
  return whenDone(pending, storeErrorResponse, exchange, event);
}

/** Logs an error whose place the error of a listener takes, since only the latter is answered and logged as uncaught. */
function logUnanswered({ services }: KernelExchange, error: unknown, listener: string): void {
  const level = isHttpError(error) && error.status < 500 ? 'notice' : 'critical';
  services.log[level](`The listener ${listener} threw while it handled ${describeThrown(error)}`, {
    listener,
    error,
  });
}

function storeErrorResponse(exchange: KernelExchange, event: TrackedExceptionEvent): void {
  if (event.response === undefined) {
    const { error } = event;
    exchange.services.log.critical(`No listener answered an error: ${describeThrown(error)}`, { error });
  }
  exchange.response = event.response ?? lastResort();
}

function filter(exchange: KernelExchange): void | Promise<void> {
  return attempt(filterResponse, exchange, answerFailedResponse);
}

function filterResponse(exchange: KernelExchange): void | Promise<void> {
  const event = responseEventOf(exchange);
  const pending = exchange.services.dispatcher.dispatch(responseEvent, event);
  return whenDone(pending, storeResponse, exchange, event);
}

/** Answers the error of a response listener like any other, then passes that response to every response listener once. */
function answerFailedResponse(exchange: KernelExchange, error: unknown): void | Promise<void> {
  return whenDone(answerFailure(exchange, error), dispatchResponseToAll, exchange, undefined);
}

function dispatchResponseToAll(exchange: KernelExchange): void | Promise<void> {
  const event = responseEventOf(exchange);
  const onError = (error: unknown): void => logFailure(exchange, error);
  const pending = exchange.services.dispatcher.dispatchToAll(responseEvent, event, onError);
  return attempt((own) => whenDone(pending, storeResponse, own, event), exchange, sendLastResort);
}

function sendLastResort(exchange: KernelExchange, error: unknown): void {
  logFailure(exchange, error);
  exchange.response = lastResort();
}

function finish(exchange: KernelExchange): void | Promise<void> {
  return attempt(dispatchFinish, exchange, logFailure);
}

function dispatchFinish(exchange: KernelExchange): void | Promise<void> {
  const { request, services } = exchange;
  const onError = (error: unknown): void => logFailure(exchange, error);
  return services.dispatcher.dispatchToAll(finishRequestEvent, { request }, onError);
}

function responseEventOf(exchange: KernelExchange): ResponseEvent {
  return new OwnResponseEvent(exchange.request, exchange.response ?? lastResort());
}

/** End of row 8: checks the response and starts its stream, while a failure can still be answered with an error. */
function storeResponse(exchange: KernelExchange, event: ResponseEvent): void | Promise<void> {
  const { request, response } = event;
  exchange.response = response;
  assertResponse(response);
  const { body, status } = response;
  if (isStreamedBody(body) && !isBodiless(request.method, status)) return begin(response, body, request);
}

/** Returns the response for when even the error page failed; depends on nothing that the application can break. */
function lastResort(): HttpResponse {
  return HttpResponse.text('500 Internal Server Error\n', { status: 500 });
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
