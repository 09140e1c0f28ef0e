import { setTimeout as wait } from 'node:timers/promises';

/** Fails after a short delay. */
export async function failLater(message: string, milliseconds = 5): Promise<never> {
  await wait(milliseconds);
  throw new Error(message);
}
