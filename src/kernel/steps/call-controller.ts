import type { KernelExchange } from '../exchange/kernel-exchange.js';

/** Row 6: the application. */
export function callController(exchange: KernelExchange): void | Promise<void> {
  const result = exchange.controller?.call(...exchange.arguments);
  if (isThenable(result)) return keepLater(exchange, result);
  exchange.result = result;
}

async function keepLater(exchange: KernelExchange, result: PromiseLike<unknown>): Promise<void> {
  exchange.result = await result;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
