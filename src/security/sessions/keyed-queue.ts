/** Lets one caller at a time through for each key, in the order they came. */
export interface KeyedQueue {
  /** Resolves when it is the caller's turn; what it gives is to be called when the turn is over. */
  enter(key: string): Promise<() => void>;
}

export function createKeyedQueue(): KeyedQueue {
  const tails = new Map<string, Promise<void>>();
  return {
    async enter(key) {
      const before = tails.get(key);
      let leave: () => void = () => undefined;
      const turn = new Promise<void>((resolve) => (leave = resolve));
      const tail = before === undefined ? turn : before.then(() => turn);
      tails.set(key, tail);
      await before;
      return () => {
        if (tails.get(key) === tail) tails.delete(key);
        leave();
      };
    },
  };
}
