import { whenDone } from '../exchange/attempt.js';
import type { RequestEvent } from '../events/request-event.js';
import { requestEvent } from '../events/request-event.js';
import type { KernelExchange } from '../exchange/kernel-exchange.js';
import { routingOutcome } from '../exchange/routing-outcome.js';

/** Row 3: every request listener has its turn. A request that is none is refused after them, whatever they answered. */
export function openRequest(exchange: KernelExchange): void | Promise<void> {
  const { request, services } = exchange;
  const event: RequestEvent = { request, response: undefined };
  return whenDone(services.dispatcher.dispatch(requestEvent, event), takeOpened, exchange, event);
}

function takeOpened(exchange: KernelExchange, { request, response }: RequestEvent): void {
  const outcome = request.scope.getOwn(routingOutcome);
  if (outcome?.kind === 'bad-request') throw outcome.error;
  exchange.response = response;
}
