import type { ResolvedController } from '#controller';
import type { Dispatcher } from '#events';
import type { HttpRequest, SentResponse } from '#http';
import { HttpResponse } from '#http';
import type { Logger } from '#log';
import type { Route } from '#routing';
import { runInScope } from '#scope';
import { attempt, inTurn } from './attempt.js';
import { finishRequestEvent } from './events/finish-request-event.js';
import { exceptionEvent } from './events/exception-event.js';
import { responseEvent } from './events/response-event.js';
import { terminateEvent } from './events/terminate-event.js';
import { Exchange } from './exchange.js';
import { callController } from './steps/call-controller.js';
import { chooseController } from './steps/choose-controller.js';
import { decideArguments } from './steps/decide-arguments.js';
import { makeResponse } from './steps/make-response.js';
import { openRequest } from './steps/open-request.js';
import { runSteps } from './steps/run-steps.js';

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
    return runInScope(request.scope, () =>
      inTurn(
        attempt(
          () => runSteps(answering, exchange),
          (error) => answerFailure(exchange, error),
        ),
        () =>
          attempt(
            () => filterResponse(exchange),
            (error) => answerFailedResponse(exchange, error),
          ),
        () => attempt(() => dispatcher.dispatch(finishRequestEvent, { request }), logFailure),
        () => exchange.response ?? new HttpResponse(null, { status: 500 }),
      ),
    );
  }

  /** `!` of the table: whatever was thrown becomes a response here, and nowhere else. */
  function answerFailure(exchange: Exchange, error: unknown): void | Promise<void> {
    const event = { request: exchange.request, error, response: undefined as HttpResponse | undefined }; // set by a listener
    return inTurn(
      attempt(() => dispatcher.dispatch(exceptionEvent, event), logFailure),
      () => {
        if (event.response === undefined)
          log.critical('No listener answered an error.', { error: event.error });
        exchange.response = event.response ?? lastResort();
      },
    );
  }

  function filterResponse(exchange: Exchange): void | Promise<void> {
    const event = { request: exchange.request, response: exchange.response ?? lastResort() };
    return inTurn(dispatcher.dispatch(responseEvent, event), () => {
      exchange.response = event.response;
    });
  }

  /** A response listener threw: its error is answered like any other, and every listener sees that answer once. */
  function answerFailedResponse(exchange: Exchange, error: unknown): void | Promise<void> {
    return inTurn(answerFailure(exchange, error), () => {
      const event = { request: exchange.request, response: exchange.response ?? lastResort() };
      return inTurn(dispatcher.dispatchToAll(responseEvent, event, logFailure), () => {
        exchange.response = event.response;
      });
    });
  }

  function logFailure(error: unknown): void {
    log.critical('A listener failed where its error could not be answered.', { error });
  }

  return {
    handle,
    terminate: (request, response, sent) =>
      runInScope(request.scope, () =>
        dispatcher.dispatchToAll(terminateEvent, { request, response, sent }, logFailure),
      ),
  };
}

/** Uses nothing that could be broken: sent when even the error page failed. */
function lastResort(): HttpResponse {
  return HttpResponse.text('500 Internal Server Error\n', { status: 500 });
}
