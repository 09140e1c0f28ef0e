import { isPromise } from 'node:util/types';
import type { KernelExchange } from '../exchange/kernel-exchange.js';

/** Row 6: the application. */
export function callController(exchange: KernelExchange): void | Promise<void> {
  const result = exchange.controller?.call(...exchange.arguments);
  // Not awaited: with asynchronous hooks each further promise costs as much as a listener.
  if (isPromise(result)) return result.then((value) => keep(exchange, value));
  if (isThenable(result)) return keepLater(exchange, result);
  keep(exchange, result);
}

function keep(exchange: KernelExchange, value: unknown): void {
  exchange.result = value;
}

async function keepLater(exchange: KernelExchange, result: PromiseLike<unknown>): Promise<void> {
  exchange.result = await result;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
