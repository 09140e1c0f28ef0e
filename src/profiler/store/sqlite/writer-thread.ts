import { Worker } from 'node:worker_threads';
import { CodedError } from '#coded-error';
import { storeErrors } from '../policy/error-codes.js';
import { watchProcessEnd } from '../policy/process-end.js';
import type { ReopeningWriterOptions } from './reopening-writer.js';
import { createWriterTurn, endTurns, type WriterTurn } from './writer-turn.js';
import type { WriterOrder, WriterReply } from './writer-message.js';

/** Milliseconds that the end of the process waits for the thread. */
const maxTurnMs = 2000;

interface Waiting {
  readonly worker: Worker;
  resolve(reply: WriterReply): void;
  reject(error: unknown): void;
}

/** Our end of the writer's thread. It is started when it is first needed, and again after it ended. */
export class WriterThread {
  readonly #path: string;
  readonly #options: () => ReopeningWriterOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #ids = 0;
  /** Replies in a row that said the file is held. */
  #held = 0;
  #turn: WriterTurn = createWriterTurn();
  #unwatchEnd: (() => void) | undefined;

  constructor(path: string, options: () => ReopeningWriterOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** Resolves with the answer; rejects with a coded error, also where the thread ended before answering. */
  async order(order: WriterOrder): Promise<WriterReply> {
    const id = ++this.#ids;
    const reply = await new Promise<WriterReply>((resolve, reject) => {
      const worker = (this.#worker ??= this.#start());
      this.#waiting.set(id, { worker, resolve, reject });
      // The process stays while an answer is awaited, and may end in between.
      worker.ref();
      worker.postMessage({ id, order });
    });
    this.#held = reply.error?.code === 'PROFILER_STORE_BUSY' ? this.#held + 1 : 0;
    if (reply.error === undefined) return reply;
    const { code, message, fix } = reply.error;
    // After errors of the lock itself a connection takes the file as held for good.
    if (code === 'PROFILER_STORE_READ_ONLY' || this.#held % 3 === 2) this.#leave();
    throw new CodedError(code, message, { fix });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    await this.order({ kind: 'close' });
    await worker.terminate();
  }

  /**
   * A file that was opened where nothing can be written stays so as long as any connection of the process has it, and
   * a connection lives on in statements that nobody can end: they go with their thread.
   */
  #leave(): void {
    if (this.#waiting.size > 0) return;
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  #start(): Worker {
    const turn = (this.#turn = createWriterTurn());
    // Behind the profiler's own, which is there before: what it stores at the end is stored.
    this.#unwatchEnd ??= watchProcessEnd({ save: () => {}, end: () => endTurns(this.#turn, maxTurnMs) });
    const worker = new Worker(new URL('./sqlite-writer-thread.js', import.meta.url), {
      workerData: { options: this.#options(), turn },
      // Nothing of the application's own flags (loaders, inspectors, heap sizes) belongs into it.
      execArgv: ['--no-warnings'],
      name: 'lookback store',
    });
    worker.on('message', (reply: WriterReply) => {
      this.#waiting.get(reply.id)?.resolve(reply);
      this.#waiting.delete(reply.id);
      if (this.#waiting.size === 0) worker.unref();
    });
    worker.on('error', (error) => this.#ended(worker, error instanceof Error ? error.message : 'unknown'));
    worker.on('exit', (code) => {
      turn.fill(0);
      this.#ended(worker, `exit code ${code}`);
    });
    return worker;
  }

  #ended(worker: Worker, reason: string): void {
    if (this.#worker === worker) {
      this.#worker = undefined;
      this.#unwatchEnd?.();
      this.#unwatchEnd = undefined;
    }
    const error = storeErrors.create('PROFILER_STORE_WRITER', { path: this.#path, reason });
    for (const [id, waiting] of this.#waiting) {
      if (waiting.worker !== worker) continue;
      this.#waiting.delete(id);
      waiting.reject(error);
    }
  }
}
