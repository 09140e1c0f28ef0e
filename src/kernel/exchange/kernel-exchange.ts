import type { Around, ResolvedController } from '#controller';
import type { Dispatcher } from '#events';
import type { HttpRequest, HttpResponse } from '#http';
import type { Logger } from '#log';
import type { Route } from '#routing';

/** What the kernel lends to the steps. */
export interface ExchangeServices {
  readonly dispatcher: Dispatcher;
  readonly controllerOf: (route: Route) => ResolvedController;
  readonly log: Logger;
  /** Layers around the controller of every route, the outermost first; asked at each request. */
  readonly around?: readonly Around[];
  /** Whether the error of a miss holds its stack. Default true. */
  readonly traceMisses?: boolean;
}

/** A request and its response in flight: the only place where the steps leave something for the next one. */
export class KernelExchange {
  readonly request: HttpRequest;
  readonly services: ExchangeServices;
  controller: ResolvedController | undefined = undefined;
  arguments: unknown[] = [];
  /** What the controller returned. */
  result: unknown = undefined;
  /** Once set, the remaining steps are passed over. */
  response: HttpResponse | undefined = undefined;

  /**
   * The error of a request that no route takes: the remaining steps are passed over, and it is answered like one that was
   * thrown. Noted, since the way of an exception through so many calls is what a miss would cost most.
   */
  miss: Error | undefined = undefined;

  constructor(request: HttpRequest, services: ExchangeServices) {
    this.request = request;
    this.services = services;
  }
}
