import type { Around, ResolvedController } from '#controller';
import type { Dispatcher } from '#events';
import type { HttpRequest, HttpResponse } from '#http';
import type { Logger } from '#log';
import type { Route } from '#routing';

/** What a kernel is made of, and lends to its steps. */
export interface KernelOptions {
  readonly dispatcher: Dispatcher;
  /** The callable of a route; called once a request. */
  readonly controllerOf: (route: Route) => ResolvedController;
  /** Where failures go that can no longer become a response. */
  readonly log: Logger;
  /** Layers around the controller of every route, the outermost first; read at each request. */
  readonly around?: readonly Around[];
  /** Whether the error of a miss holds its stack, which names the kernel's own calls only. Default true. */
  readonly traceMisses?: boolean;
}

/** A request and its response in flight: the only place where the steps leave something for the next one. */
export class KernelExchange {
  readonly request: HttpRequest;
  readonly services: KernelOptions;
  controller: ResolvedController | undefined = undefined;
  arguments: unknown[] = [];
  /** Once set, the remaining steps are passed over. */
  response: HttpResponse | undefined = undefined;

  /**
   * The error of a request that no route takes: the remaining steps are passed over, and it is answered like one that was
   * thrown. Noted, since the way of an exception through so many calls is what a miss would cost most.
   */
  miss: Error | undefined = undefined;

  constructor(request: HttpRequest, services: KernelOptions) {
    this.request = request;
    this.services = services;
  }
}
