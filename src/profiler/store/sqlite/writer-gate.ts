/**
 * Counts the work in progress in the writer's thread, in shared memory, so that an ending process can wait for it: a thread
 * that is terminated inside SQLite aborts the process.
 */
export type WriterGate = Int32Array<SharedArrayBuffer>;

/** Indexes of the number of tasks in progress, and of the flag that no more may begin. */
const [inProgress, isClosed] = [0, 1];

export function createWriterGate(): WriterGate {
  const gate = new Int32Array(new SharedArrayBuffer(8));
  gate[inProgress] = 1; // the loading of the thread
  return gate;
}

/** Called in the thread: runs `work`, or returns undefined if the gate is closed. Tasks may overlap while they wait. */
export async function runInGate<Result>(
  gate: WriterGate,
  work: () => Result | Promise<Result>,
): Promise<Result | undefined> {
  Atomics.add(gate, inProgress, 1);
  try {
    return Atomics.load(gate, isClosed) === 0 ? await work() : undefined;
  } finally {
    leaveGate(gate);
  }
}

/** Called in the thread when it is loaded or a task is done. */
export function leaveGate(gate: WriterGate): void {
  Atomics.sub(gate, inProgress, 1);
  Atomics.notify(gate, inProgress);
}

/** Called in the process: lets no more tasks begin and waits for those in progress, at most the given milliseconds. */
export function closeGate(gate: WriterGate, milliseconds: number): void {
  Atomics.store(gate, isClosed, 1);
  const end = performance.now() + milliseconds;
  for (let count = 1; count > 0 && performance.now() < end; count = Atomics.load(gate, inProgress))
    Atomics.wait(gate, inProgress, count, end - performance.now());
}
