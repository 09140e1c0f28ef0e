import type { ResolvedController } from '#controller';
import type { Dispatcher } from '#events';
import type { HttpRequest, SentResponse } from '#http';
import { HttpResponse } from '#http';
import type { Logger } from '#log';
import type { Route } from '#routing';
import { runInScope } from '#scope';
import { attempt, whenDone } from './attempt.js';
import { finishRequestEvent } from './events/finish-request-event.js';
import { exceptionEvent } from './events/exception-event.js';
import type { ExceptionEvent } from './events/exception-event.js';
import { responseEvent } from './events/response-event.js';
import type { ResponseEvent } from './events/response-event.js';
import { terminateEvent } from './events/terminate-event.js';
import type { TerminateEvent } from './events/terminate-event.js';
import { Exchange } from './exchange.js';
import { callController } from './steps/call-controller.js';
import { chooseController } from './steps/choose-controller.js';
import { decideArguments } from './steps/decide-arguments.js';
import { makeResponse } from './steps/make-response.js';
import { openRequest } from './steps/open-request.js';
import { inTurn, runSteps } from './steps/run-steps.js';

export interface KernelOptions {
  readonly dispatcher: Dispatcher;
  /** The callable of a route; asked once a request. */
  readonly controllerOf: (route: Route) => ResolvedController;
  /** Where failures go that can no longer become a response. */
  readonly log: Logger;
}

/** Turns requests into responses. Holds no request state. */
export interface Kernel {
  /**
   * The response to a request; never throws and never rejects. It is given at once where no listener and no
   * controller was asynchronous. A request whose scope has a parent is a sub-request.
   */
  handle(request: HttpRequest): HttpResponse | Promise<HttpResponse>;
  /** To be called when the last byte has left or the client has gone. */
  terminate(request: HttpRequest, response: HttpResponse, sent: SentResponse): void | Promise<void>;
}

const answering = [openRequest, chooseController, decideArguments, callController, makeResponse] as const;

export function createKernel(options: KernelOptions): Kernel {
  const { dispatcher, log } = options;

  function handle(request: HttpRequest): HttpResponse | Promise<HttpResponse> {
    const exchange = new Exchange(request, options);
    const pending = runInScope(request.scope, passStages, exchange);
    return pending === undefined ? responseOf(exchange) : pending.then(() => responseOf(exchange));
  }

  function passStages(exchange: Exchange): void | Promise<void> {
    return inTurn(stages, exchange);
  }

  function answer(exchange: Exchange): void | Promise<void> {
    return attempt(runAnswering, exchange, answerFailure);
  }

  /** `!` of the table: whatever was thrown becomes a response here, and nowhere else. */
  function answerFailure(exchange: Exchange, error: unknown): void | Promise<void> {
    const event = { request: exchange.request, error, response: undefined as HttpResponse | undefined }; // set by a listener
    const pending = attempt((asked) => dispatcher.dispatch(exceptionEvent, asked), event, logFailure);
    return whenDone(pending, takeAnswer, exchange, event);
  }

  function takeAnswer(exchange: Exchange, event: ExceptionEvent): void {
    if (event.response === undefined) log.critical('No listener answered an error.', { error: event.error });
    exchange.response = event.response ?? lastResort();
  }

  function filter(exchange: Exchange): void | Promise<void> {
    return attempt(filterResponse, exchange, answerFailedResponse);
  }

  function filterResponse(exchange: Exchange): void | Promise<void> {
    const event = { request: exchange.request, response: exchange.response ?? lastResort() };
    return whenDone(dispatcher.dispatch(responseEvent, event), takeResponse, exchange, event);
  }

  /** A response listener threw: its error is answered like any other, and every listener sees that answer once. */
  function answerFailedResponse(exchange: Exchange, error: unknown): void | Promise<void> {
    return whenDone(answerFailure(exchange, error), filterForAll, exchange, undefined);
  }

  function filterForAll(exchange: Exchange): void | Promise<void> {
    const event = { request: exchange.request, response: exchange.response ?? lastResort() };
    return whenDone(
      dispatcher.dispatchToAll(responseEvent, event, noteFailure),
      takeResponse,
      exchange,
      event,
    );
  }

  function finish(exchange: Exchange): void | Promise<void> {
    return attempt(dispatchFinish, exchange, logFailure);
  }

  function dispatchFinish({ request }: Exchange): void | Promise<void> {
    return dispatcher.dispatch(finishRequestEvent, { request });
  }

  function logFailure(_: unknown, error: unknown): void {
    noteFailure(error);
  }

  function noteFailure(error: unknown): void {
    log.critical('A listener failed where its error could not be answered.', { error });
  }

  function terminate(event: TerminateEvent): void | Promise<void> {
    return dispatcher.dispatchToAll(terminateEvent, event, noteFailure);
  }

  const stages = [answer, filter, finish] as const;
  return {
    handle,
    terminate: (request, response, sent) => {
      const event = { request, response, sent };
      // Nobody hears it, so nobody asks for the scope.
      return dispatcher.hears(terminateEvent)
        ? runInScope(request.scope, terminate, event)
        : terminate(event);
    },
  };
}

function runAnswering(exchange: Exchange): void | Promise<void> {
  return runSteps(answering, exchange);
}

function takeResponse(exchange: Exchange, event: ResponseEvent): void {
  exchange.response = event.response;
}

function responseOf(exchange: Exchange): HttpResponse {
  return exchange.response ?? new HttpResponse(null, { status: 500 });
}

/** Uses nothing that could be broken: sent when even the error page failed. */
function lastResort(): HttpResponse {
  return HttpResponse.text('500 Internal Server Error\n', { status: 500 });
}
