import { describeThrown } from '#errors';
import type { HttpRequest, HttpResponse, SentResponse } from '#http';
import { runInScope } from '#scope';
import { type TerminateEvent, terminateEvent } from './exchange/kernel-events.js';
import { KernelExchange, type KernelOptions } from './exchange/kernel-exchange.js';
import { passStages } from './pass-stages.js';

/** Turns requests into responses. Holds no request state. */
export interface Kernel {
  /**
   * The response to a request; never throws and never rejects. It is returned synchronously if no listener and no
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
