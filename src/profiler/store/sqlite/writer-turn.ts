/**
 * Shows the ending process whether its writer's thread is at work, in memory that both see: a thread that is cut off inside
 * SQLite aborts the process.
 */
export type WriterTurn = Int32Array<SharedArrayBuffer>;

/** Where the number of works under way stands, and whether no more may begin. */
const [atWork, isOver] = [0, 1];

export function createWriterTurn(): WriterTurn {
  const turn = new Int32Array(new SharedArrayBuffer(8));
  turn[atWork] = 1; // until it is loaded
  return turn;
}

/** In the thread: does the work, unless the process ends; undefined where it does. Others may come while it waits. */
export async function takeTurn<Result>(
  turn: WriterTurn,
  work: () => Result | Promise<Result>,
): Promise<Result | undefined> {
  Atomics.add(turn, atWork, 1);
  try {
    return Atomics.load(turn, isOver) === 0 ? await work() : undefined;
  } finally {
    leaveTurn(turn);
  }
}

/** In the thread: it is loaded, or a work is done. */
export function leaveTurn(turn: WriterTurn): void {
  Atomics.sub(turn, atWork, 1);
  Atomics.notify(turn, atWork);
}

/** In the process: no turn begins any more; waits so long at most for those under way. */
export function endTurns(turn: WriterTurn, milliseconds: number): void {
  Atomics.store(turn, isOver, 1);
  const end = performance.now() + milliseconds;
  for (let count = 1; count > 0 && performance.now() < end; count = Atomics.load(turn, atWork))
    Atomics.wait(turn, atWork, count, end - performance.now());
}
