import { describeThrown } from '#core/errors';
import { type HttpRequest, type HttpResponse, requestDebug, type SentResponse } from '#core/http';
import { requestLogger } from '#core/log';
import { runInScope } from '#core/scope';
import {
  type TerminateEvent,
  terminateEvent,
  KernelExchange,
  type KernelOptions,
} from './exchange/kernel-exchange.js';
import { passStages } from './stage-path.js';
import { requestPath } from './pass-stages.js';

/** Turns requests into responses. Has no request state. */
export interface Kernel {
  /** Returns the response, synchronously unless a listener or the controller is asynchronous. Never throws or rejects. */
  readonly handle: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;
  /** Must be called when the last byte has been sent or the client has disconnected. */
  readonly terminate: (
    request: HttpRequest,
    response: HttpResponse,
    sent: SentResponse,
  ) => void | Promise<void>;
}

/** Creates a kernel that handles requests with the listeners of `options.dispatcher`. */
export function createKernel(options: KernelOptions): Kernel {
  const { dispatcher, log, debug = false } = options;

  function handle(request: HttpRequest): HttpResponse | Promise<HttpResponse> {
    request.scope.set(requestLogger, log);
    if (debug) request.scope.set(requestDebug, true);
    return runInScope(request.scope, passRequest, new KernelExchange(request, options));
  }

  function passRequest(exchange: KernelExchange): HttpResponse | Promise<HttpResponse> {
    return passStages(requestPath, exchange);
  }

  /** Dispatches the terminate event. Without listeners the scope is not entered. */
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
