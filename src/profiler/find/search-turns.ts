import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of search at one go, and in all. */
const sliceMs = 8;
const searchMs = 1500;

/** Watches how long a search takes. */
export interface SearchTurns {
  /** Whether its time is used up. */
  isOver(): boolean;
  /** Gives way to others, where it has been going on for some milliseconds. */
  pass(): Promise<void>;
}

export function startTurns(most: number = searchMs): SearchTurns {
  const end = performance.now() + most;
  let sliceEnd = performance.now() + sliceMs;
  return {
    isOver: () => performance.now() > end,
    async pass() {
      if (performance.now() < sliceEnd) return;
      await nextTurn();
      sliceEnd = performance.now() + sliceMs;
    },
  };
}
