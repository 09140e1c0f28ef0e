import type { KernelExchange } from '../exchange/kernel-exchange.js';

/** One step of the path; a promise only where something in it was asynchronous. */
export type Step = (exchange: KernelExchange) => void | Promise<void>;

/** Runs the steps in order until one has set the response, or a miss. */
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

/** Runs the steps in order, each once the one before is done. */
export function inTurn(steps: readonly Step[], exchange: KernelExchange, from = 0): void | Promise<void> {
  for (let index = from; index < steps.length; index++) {
    const pending = steps[index]?.(exchange);
    if (pending !== undefined)
      return index + 1 === steps.length ? pending : pending.then(() => inTurn(steps, exchange, index + 1));
  }
}
