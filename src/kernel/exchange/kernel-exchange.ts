import type { Around, ResolvedController } from '#controller';
import type { Dispatcher } from '#events';
import type { HttpRequest, HttpResponse } from '#http';
import type { Logger } from '#log';
import type { Route } from '#routing';

/** The services of a kernel, which every step may use. */
export interface KernelOptions {
  readonly dispatcher: Dispatcher;
  /** Returns the controller of a route; called once per request. */
  readonly controllerOf: (route: Route) => ResolvedController;
  /** Receives errors that can no longer be turned into a response. */
  readonly log: Logger;
  /** Layers around the controller of every route, outermost first; read at each request. */
  readonly around?: readonly Around[];
  /** Whether errors for unmatched requests have a stack, which only lists calls inside the kernel. Default true. */
  readonly traceMisses?: boolean;
}

/** The state of an in-flight request: the only object through which the steps pass values on. */
export class KernelExchange {
  readonly request: HttpRequest;
  readonly services: KernelOptions;
  controller: ResolvedController | undefined = undefined;
  arguments: unknown[] = [];
  /** Once set, the remaining steps are skipped. */
  response: HttpResponse | undefined = undefined;

  /**
   * The error of a request that no route matches. Once set, the remaining steps are skipped and the error is answered like
   * a thrown one. It is stored instead of thrown, because unwinding that many calls would be the most expensive part of
   * answering an unmatched request.
   */
  miss: Error | undefined = undefined;

  constructor(request: HttpRequest, services: KernelOptions) {
    this.request = request;
    this.services = services;
  }
}

/**
 * Calls `work` with `subject`. If `work` throws or its promise rejects, calls `recover` with the error. The values are
 * passed as separate parameters, as on the whole request path, so that a synchronous request allocates neither a closure
 * nor a promise.
 */
export function attempt<Subject>(
  work: (subject: Subject) => void | Promise<void>,
  subject: Subject,
  recover: (subject: Subject, error: unknown) => void | Promise<void>,
): void | Promise<void> {
  try {
    const pending = work(subject);
    return pending === undefined ? undefined : pending.catch((error: unknown) => recover(subject, error));
  } catch (error) {
    return recover(subject, error);
  }
}

/** Calls `proceed` with both values: immediately if `pending` is undefined, otherwise when it resolves. */
export function whenDone<Left, Right>(
  pending: void | Promise<void>,
  proceed: (left: Left, right: Right) => void | Promise<void>,
  left: Left,
  right: Right,
): void | Promise<void> {
  return pending === undefined ? proceed(left, right) : pending.then(() => proceed(left, right));
}

/** One step of the request path; returns a promise only if it is asynchronous. */
export type Step = (exchange: KernelExchange) => void | Promise<void>;

/** Runs the steps in order until one sets `response` or `miss`. */
export function runSteps(steps: readonly Step[], exchange: KernelExchange, from = 0): void | Promise<void> {
  for (let index = from; index < steps.length && !isOver(exchange); index++) {
    const pending = steps[index]?.(exchange);
    if (pending !== undefined)
      return index + 1 === steps.length ? pending : pending.then(() => runSteps(steps, exchange, index + 1));
  }
}

function isOver({ response, miss }: KernelExchange): boolean {
  return response !== undefined || miss !== undefined;
}
