import type { Around, ResolvedController } from '#controller';
import type { Dispatcher } from '#events';
import { describeThrown } from '#errors';
import type { HttpRequest, HttpResponse, SentResponse } from '#http';
import type { Logger } from '#log';
import type { Route } from '#routing';
import { runInScope } from '#scope';
import type { TerminateEvent } from './events/terminate-event.js';
import { terminateEvent } from './events/terminate-event.js';
import { KernelExchange } from './exchange/kernel-exchange.js';
import { passStages } from './pass-stages.js';

export interface KernelOptions {
  readonly dispatcher: Dispatcher;
  /** The callable of a route; asked once a request. */
  readonly controllerOf: (route: Route) => ResolvedController;
  /** Where failures go that can no longer become a response. */
  readonly log: Logger;
  /** Layers around the controller of every route, the outermost first; asked at each request. */
  readonly around?: readonly Around[];
  /** Whether the error of a miss holds its stack, which names the kernel's own calls only. Default true. */
  readonly traceMisses?: boolean;
}

/** Turns requests into responses. Holds no request state. */
export interface Kernel {
  /**
   * The response to a request; never throws and never rejects. It is given at once where no listener and no
   * controller was asynchronous. A request whose scope has a parent is a sub-request.
   */
  readonly handle: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;
  /** To be called when the last byte has left or the client has gone. */
  readonly terminate: (
    request: HttpRequest,
    response: HttpResponse,
    sent: SentResponse,
  ) => void | Promise<void>;
}

/** A kernel on the listeners of `options.dispatcher`: `handle` always answers, errors included; `terminate` runs once the answer is sent. */
export function createKernel(options: KernelOptions): Kernel {
  const { dispatcher, log } = options;

  function handle(request: HttpRequest): HttpResponse | Promise<HttpResponse> {
    return runInScope(request.scope, passStages, new KernelExchange(request, options));
  }

  /** Row 11. Without listeners the scope is not needed either. */
  function terminate(request: HttpRequest, response: HttpResponse, sent: SentResponse): void | Promise<void> {
    const event = { request, response, sent };
    return dispatcher.hasListeners(terminateEvent)
      ? runInScope(request.scope, dispatchTerminate, event)
      : dispatchTerminate(event);
  }

  function dispatchTerminate(event: TerminateEvent): void | Promise<void> {
    return dispatcher.dispatchToAll(terminateEvent, event, (error) => {
      log.critical(`A listener failed after the response was sent: ${describeThrown(error)}`, { error });
    });
  }

  return { handle, terminate };
}
