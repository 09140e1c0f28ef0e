import { resolveArguments } from '#controller';
import { controllerArgumentsEvent } from '../events/controller-arguments-event.js';
import type { Exchange } from '../exchange.js';
import { inTurn } from '../attempt.js';

/** Row 5: the arguments are resolved first, then checked: access is decided on what the controller will really see. */
export function decideArguments(exchange: Exchange): void | Promise<void> {
  const { controller, request } = exchange;
  if (controller === undefined) return;
  const values = resolveArguments(controller.arguments, request);
  if (values instanceof Promise) return values.then((resolved) => announce(exchange, controller, resolved));
  return announce(exchange, controller, values);
}

function announce(
  exchange: Exchange,
  controller: NonNullable<Exchange['controller']>,
  values: unknown[],
): void | Promise<void> {
  const event = { request: exchange.request, controller, arguments: values };
  return inTurn(exchange.services.dispatcher.dispatch(controllerArgumentsEvent, event), () => {
    exchange.controller = event.controller;
    exchange.arguments = event.arguments;
  });
}
