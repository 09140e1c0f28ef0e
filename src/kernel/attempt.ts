/** A value now or later. Code over it stays synchronous as long as the value is here. */
export type Eventual<T> = T | Promise<T>;

/** Runs `work`; what it throws, at once or later, goes to `recover`. */
export function attempt(
  work: () => void | Promise<void>,
  recover: (error: unknown) => void | Promise<void>,
): void | Promise<void> {
  try {
    const pending = work();
    return pending instanceof Promise ? pending.catch(recover) : pending;
  } catch (error) {
    return recover(error);
  }
}

/** The steps one after the other, each once the one before is done; the last one's value. */
export function inTurn<Last>(
  first: void | Promise<void>,
  ...rest: [...(() => void | Promise<void>)[], () => Eventual<Last>]
): Eventual<Last>;
export function inTurn(first: unknown, ...rest: (() => unknown)[]): unknown {
  let value: unknown = first;
  for (let index = 0; index < rest.length; index++) {
    if (value instanceof Promise) return continueInTurn(value, rest.slice(index));
    value = rest[index]?.();
  }
  return value;
}

async function continueInTurn(pending: Promise<unknown>, rest: readonly (() => unknown)[]): Promise<unknown> {
  let value: unknown = await pending;
  for (const step of rest) value = await step();
  return value;
}
