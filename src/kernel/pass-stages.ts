import { HttpResponse, type HttpRequest, assertResponse, beginBody, isBodiless, isStreamedBody } from '#http';
import {
  type ExceptionEvent,
  exceptionEvent,
  type ResponseEvent,
  OwnResponseEvent,
  responseEvent,
  finishRequestEvent,
  type RequestEvent,
  requestEvent,
  routingOutcome,
} from './exchange/kernel-events.js';
import {
  attempt,
  type KernelExchange,
  whenDone,
  runSequentially,
  runSteps,
} from './exchange/kernel-exchange.js';
import { answerRoute } from './steps/answer-route.js';
import { chooseController } from './steps/choose-controller.js';

const answerSteps = [openRequest, chooseController, answerRoute] as const;
const responseSteps = [filter, finish] as const;

/**
 * Runs rows 3 to 9 of the lifecycle and returns the response; never throws. Returns a promise only if a step is
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

/** Runs rows 8 and 9 when `answering` is done. */
function conclude(
  exchange: KernelExchange,
  answering: void | Promise<void>,
): HttpResponse | Promise<HttpResponse> {
  const pending =
    answering === undefined
      ? runSequentially(responseSteps, exchange)
      : answering.then(() => runSequentially(responseSteps, exchange));
  return pending === undefined ? responseOf(exchange) : pending.then(() => responseOf(exchange));
}

function responseOf({ response }: KernelExchange): HttpResponse {
  return response ?? new HttpResponse(null, { status: 500 });
}

/** Logs an error that can no longer be turned into a response. */
export function logFailure({ services }: KernelExchange, error: unknown): void {
  services.log.critical('A listener failed at a point where its error could not be answered.', { error });
}

function answerMiss(exchange: KernelExchange): void | Promise<void> {
  return exchange.miss === undefined ? undefined : answerFailure(exchange, exchange.miss);
}

/** Row `!` of the lifecycle: the only place where a thrown value becomes a response. */
function answerFailure(exchange: KernelExchange, error: unknown): void | Promise<void> {
  const event: ExceptionEvent = { request: exchange.request, error, response: undefined };
  const pending = attempt(
    ({ services }) => services.dispatcher.dispatch(exceptionEvent, event),
    exchange,
    logFailure,
  );
  return whenDone(pending, storeErrorResponse, exchange, event);
}

function storeErrorResponse(exchange: KernelExchange, event: ExceptionEvent): void {
  if (event.response === undefined) {
    exchange.services.log.critical('No listener answered an error.', { error: event.error });
  }
  exchange.response = event.response ?? lastResort();
}

/** Row 8: the response stage. */
function filter(exchange: KernelExchange): void | Promise<void> {
  return attempt(filterResponse, exchange, answerFailedResponse);
}

function filterResponse(exchange: KernelExchange): void | Promise<void> {
  const event = responseEventOf(exchange);
  const pending = exchange.services.dispatcher.dispatch(responseEvent, event);
  return whenDone(pending, storeResponse, exchange, event);
}

/**
 * Answers the error of a response listener like any other error, then passes that response to every response listener
 * once.
 */
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

/** Row 9: the finish-request stage. */
function finish(exchange: KernelExchange): void | Promise<void> {
  return attempt(dispatchFinish, exchange, logFailure);
}

function dispatchFinish({ request, services }: KernelExchange): void | Promise<void> {
  return services.dispatcher.dispatch(finishRequestEvent, { request });
}

function responseEventOf(exchange: KernelExchange): ResponseEvent {
  return new OwnResponseEvent(exchange.request, exchange.response ?? lastResort());
}

function storeResponse(exchange: KernelExchange, event: ResponseEvent): void | Promise<void> {
  exchange.response = event.response;
  return beginResponse(exchange);
}

/** Returns the response for when even the error page failed; depends on nothing that the application can break. */
function lastResort(): HttpResponse {
  return HttpResponse.text('500 Internal Server Error\n', { status: 500 });
}

/** End of row 8: checks the response and starts its stream, while a failure can still be answered with an error. */
function beginResponse(exchange: KernelExchange): void | Promise<void> {
  const { request, response } = exchange;
  if (response === undefined) return;
  assertResponse(response);
  const { body, status } = response;
  if (isStreamedBody(body) && !isBodiless(request.source.method, status)) return begin(response, request);
}

async function begin(response: HttpResponse, { scope, signal }: HttpRequest): Promise<void> {
  const { body } = response;
  if (!isStreamedBody(body)) return;
  try {
    response.body = await beginBody(body, scope);
  } catch (error) {
    if (!signal.aborted) throw error;
    response.body = null; // the client has disconnected and the body was aborted: no one receives a response
  }
}

/** Row 3: runs the request listeners. An invalid request is rejected after them, even if one has set a response. */
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
