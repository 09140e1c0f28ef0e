/**
 * Shows the ending process whether its writer's thread is at work, in memory that both see: a thread that is cut off inside
 * SQLite aborts the process.
 */
export type WriterTurn = Int32Array<SharedArrayBuffer>;

const atWork = 0;
const isOver = 1;

export function createWriterTurn(): WriterTurn {
  const turn = new Int32Array(new SharedArrayBuffer(8));
  turn[atWork] = 1; // until it is loaded
  return turn;
}

/** In the thread: does the work, unless the process ends. */
export function takeTurn(turn: WriterTurn, work: () => void): void {
  Atomics.store(turn, atWork, 1);
  try {
    if (Atomics.load(turn, isOver) === 0) work();
  } finally {
    Atomics.store(turn, atWork, 0);
    Atomics.notify(turn, atWork);
  }
}

/** The same for work that is done once its promise is settled; undefined where the process ends. */
export async function takeLongTurn<Result>(
  turn: WriterTurn,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  Atomics.store(turn, atWork, 1);
  try {
    return Atomics.load(turn, isOver) === 0 ? await work() : undefined;
  } finally {
    Atomics.store(turn, atWork, 0);
    Atomics.notify(turn, atWork);
  }
}

/** In the process: no turn begins any more; waits so long at most for the present one. */
export function endTurns(turn: WriterTurn, milliseconds: number): void {
  Atomics.store(turn, isOver, 1);
  Atomics.wait(turn, atWork, 1, milliseconds);
}
