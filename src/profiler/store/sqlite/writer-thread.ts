import { isCodedError } from '#coded-error';
import { watchProcessEnd } from '../policy/process-end.js';
import { ThreadCaller } from '../thread/thread-caller.js';
import type { FileEvents, ReopeningWriter, ReopeningWriterOptions } from './reopening-writer.js';
import { createWriterGate, closeGate, type WriterGate } from './writer-gate.js';

/** Methods that are called in the thread. */
export type WriterMethods = Pick<ReopeningWriter, 'write' | 'prune' | 'lease' | 'putNote' | 'tally' | 'end'>;

/** Milliseconds for which the end of the process waits for the thread. */
const maxEndWaitMs = 2000;

/** Client of the writer's thread. */
export class WriterThread {
  readonly #options: () => ReopeningWriterOptions;
  readonly #thread: ThreadCaller<WriterMethods>;
  /** Number of consecutive answers that reported the file as locked. */
  #lockedAnswers = 0;
  #gate: WriterGate = createWriterGate();
  #unwatchEnd: (() => void) | undefined;

  /** `noteEvents` is called with what happened to the file, before the call returns its result. */
  constructor(path: string, options: () => ReopeningWriterOptions, noteEvents: (events: FileEvents) => void) {
    this.#options = options;
    this.#thread = new ThreadCaller({
      file: new URL('./sqlite-writer-thread.js', import.meta.url),
      name: path,
      start: () => this.#start(),
      notified: (events) => noteEvents(events as FileEvents), // the thread sends nothing else
    });
  }

  /** Calls a method in the thread. Rejects with a coded error, also if the thread ends before it answers. */
  async call<Method extends keyof WriterMethods>(
    method: Method,
    ...args: Parameters<WriterMethods[Method]>
  ): Promise<Awaited<ReturnType<WriterMethods[Method]>>> {
    try {
      const result = await this.#thread.call(method, ...args);
      this.#lockedAnswers = 0;
      return result;
    } catch (error) {
      const code = isCodedError(error) ? error.code : '';
      this.#lockedAnswers = code === 'PROFILER_STORE_BUSY' ? this.#lockedAnswers + 1 : 0;
      // A file that was opened as read-only stays so while any connection of the process has it open, and a connection
      // lives on in statements that cannot be closed: only the end of the thread releases them. After an error of the
      // lock itself, a connection considers the file locked for good.
      if (code === 'PROFILER_STORE_READ_ONLY' || this.#lockedAnswers % 3 === 2)
        this.#thread.terminateIfIdle();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#thread.close('end');
  }

  #start(): { data: unknown; ended(): void } {
    const gate = (this.#gate = createWriterGate());
    // Registered after the profiler's own callback, so that what that stores is written first.
    this.#unwatchEnd ??= watchProcessEnd({ save: () => {}, end: () => closeGate(this.#gate, maxEndWaitMs) });
    return {
      data: { options: this.#options(), gate },
      ended: () => {
        gate.fill(0);
        if (this.#gate !== gate) return;
        this.#unwatchEnd?.();
        this.#unwatchEnd = undefined;
      },
    };
  }
}
