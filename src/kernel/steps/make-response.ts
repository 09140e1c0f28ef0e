import { HttpResponse } from '#http';
import { whenDone } from '../exchange/attempt.js';
import { kernelErrors } from '../exchange/error-codes.js';
import { viewEvent } from '../events/view-event.js';
import type { ViewEvent } from '../events/view-event.js';
import type { KernelExchange } from '../exchange/kernel-exchange.js';

/** Row 7: a result that is no response becomes one. */
export function makeResponse(exchange: KernelExchange): void | Promise<void> {
  const { request, result, services } = exchange;
  if (result instanceof HttpResponse) {
    exchange.response = result;
    return;
  }
  const event: ViewEvent = { request, result, response: undefined };
  return whenDone(services.dispatcher.dispatch(viewEvent, event), takeView, exchange, event);
}

function takeView(exchange: KernelExchange, event: ViewEvent): void {
  if (event.response === undefined) throw noResponse(exchange);
  exchange.response = event.response;
}

function noResponse({ controller, result }: KernelExchange): Error {
  const what = result === null ? 'null' : typeof result === 'function' ? 'a function' : typeof result;
  const hint = result === undefined ? ' Is a return statement missing?' : '';
  return kernelErrors.create('KERNEL_NO_RESPONSE', { controller: controller?.name ?? 'unknown', what, hint });
}
