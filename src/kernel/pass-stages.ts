import { HttpResponse } from '#http';
import { attempt, whenDone } from './exchange/attempt.js';
import type { ExceptionEvent } from './events/exception-event.js';
import { exceptionEvent } from './events/exception-event.js';
import { finishRequestEvent } from './events/finish-request-event.js';
import type { ResponseEvent } from './events/response-event.js';
import { OwnResponseEvent, responseEvent } from './events/response-event.js';
import type { KernelExchange } from './exchange/kernel-exchange.js';
import { beginResponse } from './steps/begin-response.js';
import { answerRoute } from './steps/answer-route.js';
import { chooseController } from './steps/choose-controller.js';
import { openRequest } from './steps/open-request.js';
import { inTurn, runSteps } from './steps/run-steps.js';

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
    if (pending !== undefined) return passLater(exchange, pending);
    pending = answerMiss(exchange);
  } catch (error) {
    pending = answerFailure(exchange, error);
  }
  if (pending !== undefined) return passRest(exchange, pending);
  pending = inTurn(responseSteps, exchange);
  return pending === undefined ? responseOf(exchange) : pending.then(() => responseOf(exchange));
}

/** Goes on from an answer that is not there yet. */
async function passLater(exchange: KernelExchange, answering: Promise<void>): Promise<HttpResponse> {
  try {
    await answering;
    const missed = answerMiss(exchange);
    if (missed !== undefined) await missed;
  } catch (error) {
    const failed = answerFailure(exchange, error);
    if (failed !== undefined) await failed;
  }
  const left = inTurn(responseSteps, exchange);
  if (left !== undefined) await left;
  return responseOf(exchange);
}

async function passRest(exchange: KernelExchange, answered: Promise<void>): Promise<HttpResponse> {
  await answered;
  const left = inTurn(responseSteps, exchange);
  if (left !== undefined) await left;
  return responseOf(exchange);
}

function responseOf({ response }: KernelExchange): HttpResponse {
  return response ?? new HttpResponse(null, { status: 500 });
}

/** Called with what failed where no response can show it any more. */
export function noteFailure({ services }: KernelExchange, error: unknown): void {
  services.log.critical('A listener failed where its error could not be answered.', { error });
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
