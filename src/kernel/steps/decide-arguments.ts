import { resolveArguments } from '#controller';
import { controllerArgumentsEvent } from '../events/controller-arguments-event.js';
import type { ControllerArgumentsEvent } from '../events/controller-arguments-event.js';
import type { KernelExchange } from '../exchange/kernel-exchange.js';
import { whenDone } from '../exchange/attempt.js';

/** Row 5: the arguments are resolved first, then checked: access is decided on what the controller will really see. */
export function decideArguments(exchange: KernelExchange): void | Promise<void> {
  const { controller, request } = exchange;
  if (controller === undefined) return;
  const values = resolveArguments(controller.arguments, request);
  if (values instanceof Promise) return values.then((resolved) => announce(exchange, controller, resolved));
  return announce(exchange, controller, values);
}

function announce(
  exchange: KernelExchange,
  controller: NonNullable<KernelExchange['controller']>,
  values: unknown[],
): void | Promise<void> {
  const event = { request: exchange.request, controller, arguments: values };
  const pending = exchange.services.dispatcher.dispatch(controllerArgumentsEvent, event);
  return whenDone(pending, takeDecision, exchange, event);
}

function takeDecision(exchange: KernelExchange, event: ControllerArgumentsEvent): void {
  exchange.controller = event.controller;
  exchange.arguments = event.arguments;
}
