import { HttpResponse, type HttpRequest, assertResponse, beginBody, isBodiless, isStreamedBody } from '#http';
import { attempt, whenDone } from './exchange/attempt.js';
import {
  type ExceptionEvent,
  exceptionEvent,
  type ResponseEvent,
  OwnResponseEvent,
  responseEvent,
  finishRequestEvent,
  type RequestEvent,
  requestEvent,
} from './exchange/kernel-events.js';
import type { KernelExchange } from './exchange/kernel-exchange.js';
import { answerRoute } from './steps/answer-route.js';
import { chooseController } from './steps/choose-controller.js';
import { inTurn, runSteps } from './steps/run-steps.js';
import { routingOutcome } from './exchange/routing-outcome.js';

const answerSteps = [openRequest, chooseController, answerRoute] as const;
const responseSteps = [filter, finish] as const;

/**
 * Rows 3 to 9: the exchange has its response when they are over. Nothing is thrown. A promise only where one is due, and
 * then one for all that is left: with asynchronous hooks each further one costs as much as a listener.
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

/** Rows 8 and 9, once `answering` is over. */
function conclude(
  exchange: KernelExchange,
  answering: void | Promise<void>,
): HttpResponse | Promise<HttpResponse> {
  const pending =
    answering === undefined
      ? inTurn(responseSteps, exchange)
      : answering.then(() => inTurn(responseSteps, exchange));
  return pending === undefined ? responseOf(exchange) : pending.then(() => responseOf(exchange));
}

function responseOf({ response }: KernelExchange): HttpResponse {
  return response ?? new HttpResponse(null, { status: 500 });
}

/** Called with what failed where no response can show it any more. */
export function noteFailure({ services }: KernelExchange, error: unknown): void {
  services.log.critical('A listener failed at a point where its error could not be answered.', { error });
}

function answerMiss(exchange: KernelExchange): void | Promise<void> {
  return exchange.miss === undefined ? undefined : answerFailure(exchange, exchange.miss);
}

/** `!` of the table: whatever was thrown becomes a response here, and nowhere else. */
function answerFailure(exchange: KernelExchange, error: unknown): void | Promise<void> {
  const event: ExceptionEvent = { request: exchange.request, error, response: undefined };
  const pending = attempt(
    (asked) => asked.services.dispatcher.dispatch(exceptionEvent, event),
    exchange,
    noteFailure,
  );
  return whenDone(pending, takeAnswer, exchange, event);
}

function takeAnswer(exchange: KernelExchange, event: ExceptionEvent): void {
  if (event.response === undefined) {
    exchange.services.log.critical('No listener answered an error.', { error: event.error });
  }
  exchange.response = event.response ?? lastResort();
}

/** Row 8. */
function filter(exchange: KernelExchange): void | Promise<void> {
  return attempt(filterResponse, exchange, answerFailedResponse);
}

function filterResponse(exchange: KernelExchange): void | Promise<void> {
  const event = responseEventOf(exchange);
  const pending = exchange.services.dispatcher.dispatch(responseEvent, event);
  return whenDone(pending, takeResponse, exchange, event);
}

/** A response listener threw: its error is answered like any other, and every listener sees that answer once. */
function answerFailedResponse(exchange: KernelExchange, error: unknown): void | Promise<void> {
  return whenDone(answerFailure(exchange, error), filterForAll, exchange, undefined);
}

function filterForAll(exchange: KernelExchange): void | Promise<void> {
  const event = responseEventOf(exchange);
  const onError = (error: unknown): void => noteFailure(exchange, error);
  const pending = exchange.services.dispatcher.dispatchToAll(responseEvent, event, onError);
  return attempt((own) => whenDone(pending, takeResponse, own, event), exchange, sendLastResort);
}

function sendLastResort(exchange: KernelExchange, error: unknown): void {
  noteFailure(exchange, error);
  exchange.response = lastResort();
}

/** Row 9. */
function finish(exchange: KernelExchange): void | Promise<void> {
  return attempt(dispatchFinish, exchange, noteFailure);
}

function dispatchFinish({ request, services }: KernelExchange): void | Promise<void> {
  return services.dispatcher.dispatch(finishRequestEvent, { request });
}

function responseEventOf(exchange: KernelExchange): ResponseEvent {
  return new OwnResponseEvent(exchange.request, exchange.response ?? lastResort());
}

function takeResponse(exchange: KernelExchange, event: ResponseEvent): void | Promise<void> {
  exchange.response = event.response;
  return beginResponse(exchange);
}

/** Uses nothing that could be broken: sent when even the error page failed. */
function lastResort(): HttpResponse {
  return HttpResponse.text('500 Internal Server Error\n', { status: 500 });
}

/** End of row 8: what cannot be sent is found while it can still be answered with an error. */
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
    response.body = null; // the client is gone, and the body was stopped: there is no one to answer
  }
}

/** Row 3: every request listener has its turn. A request that is none is refused after them, whatever they answered. */
function openRequest(exchange: KernelExchange): void | Promise<void> {
  const { request, services } = exchange;
  const event: RequestEvent = { request, response: undefined };
  return whenDone(services.dispatcher.dispatch(requestEvent, event), takeOpened, exchange, event);
}

function takeOpened(exchange: KernelExchange, { request, response }: RequestEvent): void {
  const outcome = request.scope.getOwn(routingOutcome);
  if (outcome?.kind === 'bad-request') throw outcome.error;
  exchange.response = response;
}
