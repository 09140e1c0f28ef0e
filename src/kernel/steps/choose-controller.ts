import { type HttpError, MethodNotAllowedError, NotFoundError, withoutStack } from '#errors';
import { type HttpRequest, HttpResponse } from '#http';
import { MethodNotAllowedRouteError, ResourceNotFoundError } from '#routing';
import { type KernelExchange, whenDone } from '../exchange/kernel-exchange.js';
import {
  controllerEvent,
  type ControllerEvent,
  type RoutingOutcome,
  routingOutcome,
} from '../exchange/kernel-events.js';

/** Row 4: applies the routing outcome: finds the controller, redirects, or stores the error of an unmatched request. */
export function chooseController(exchange: KernelExchange): void | Promise<void> {
  const { request, services } = exchange;
  const outcome: RoutingOutcome = request.scope.getOwn(routingOutcome) ?? { kind: 'not-found' };
  switch (outcome.kind) {
    case 'match': {
      const event = { request, controller: services.controllerOf(outcome.route) };
      return whenDone(services.dispatcher.dispatch(controllerEvent, event), storeController, exchange, event);
    }
    case 'redirect':
      exchange.response = HttpResponse.redirect(outcome.location, {
        status: outcome.status,
        external: !outcome.location.startsWith('/'), // absolute URLs are built by the router from the validated host
      });
      return;
    case 'method-not-allowed':
      if (request.method === 'OPTIONS') exchange.response = describeOptions(outcome.allow);
      else exchange.miss = createMiss(exchange, () => methodNotAllowed(request, outcome.allow));
      return;
    case 'bad-request':
      throw outcome.error;
    case 'answered': // a listener had set a response but removed it again
    case 'not-found':
      if (request.method === 'OPTIONS' && request.source.target === '*')
        exchange.response = HttpResponse.empty();
      else exchange.miss = createMiss(exchange, () => notFound(request));
  }
}

function storeController(exchange: KernelExchange, event: ControllerEvent): void {
  exchange.controller = event.controller;
}

function describeOptions(allow: readonly string[]): HttpResponse {
  const response = HttpResponse.empty();
  response.headers.set('Allow', allow.join(', '));
  return response;
}

/** Creates the error without a stack unless `traceMisses` is on: its stack only lists calls inside the kernel. */
function createMiss({ services }: KernelExchange, make: () => HttpError): HttpError {
  return services.traceMisses === false ? withoutStack(make) : make();
}

function notFound(request: HttpRequest): NotFoundError {
  const referer = request.headers.get('referer');
  const from = referer === undefined || referer === '' ? '' : ` (from "${referer}")`;
  return new NotFoundError(`No route found for "${request.method} ${request.url}"${from}`, {
    cause: new ResourceNotFoundError(request.path),
    expose: false, // the message contains headers of the request
  });
}

function methodNotAllowed(request: HttpRequest, allow: readonly string[]): MethodNotAllowedError {
  const message = `No route found for "${request.method} ${request.url}": Method Not Allowed (Allow: ${allow.join(', ')})`;
  return new MethodNotAllowedError(allow, message, {
    cause: new MethodNotAllowedRouteError(request.method, request.path, allow),
    expose: false,
  });
}
