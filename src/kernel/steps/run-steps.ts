import type { KernelExchange } from '../exchange/kernel-exchange.js';

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

/** Runs all steps in order, each after the previous one has finished. */
export function runSequentially(
  steps: readonly Step[],
  exchange: KernelExchange,
  from = 0,
): void | Promise<void> {
  for (let index = from; index < steps.length; index++) {
    const pending = steps[index]?.(exchange);
    if (pending !== undefined)
      return index + 1 === steps.length
        ? pending
        : pending.then(() => runSequentially(steps, exchange, index + 1));
  }
}
