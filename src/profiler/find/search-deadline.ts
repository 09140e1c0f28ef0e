import { setImmediate as yieldToLoop } from 'node:timers/promises';

/** Milliseconds of one time slice of a search. */
const sliceMs = 8;
/** Default time limit of a search in milliseconds. */
const searchMs = 1500;

/** Deadline of a search, and the time slices in which it runs. */
export interface SearchDeadline {
  /** Returns whether the time limit has been reached. */
  isOver(): boolean;
  /** Yields to the event loop if the current time slice is used up. */
  yieldIfDue(): Promise<void>;
}

export function startDeadline(limitMs: number = searchMs): SearchDeadline {
  const end = performance.now() + limitMs;
  let sliceEnd = performance.now() + sliceMs;
  return {
    isOver: () => performance.now() > end,
    async yieldIfDue() {
      if (performance.now() < sliceEnd) return;
      await yieldToLoop();
      sliceEnd = performance.now() + sliceMs;
    },
  };
}
