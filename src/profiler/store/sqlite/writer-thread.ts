import { isCodedError } from '#coded-error';
import { watchProcessEnd } from '../policy/process-end.js';
import { ThreadCaller } from '../thread/thread-caller.js';
import type { FileEvents, ReopeningWriter, ReopeningWriterOptions } from './reopening-writer.js';
import { createWriterTurn, endTurns, type WriterTurn } from './writer-turn.js';

/** What is called in the thread. */
export type WriterMethods = Pick<ReopeningWriter, 'write' | 'prune' | 'lease' | 'putNote' | 'tally' | 'end'>;

/** Milliseconds that the end of the process waits for the thread. */
const maxTurnMs = 2000;

/** Our end of the writer's thread. */
export class WriterThread {
  readonly #options: () => ReopeningWriterOptions;
  readonly #thread: ThreadCaller<WriterMethods>;
  /** Replies in a row that said the file is held. */
  #held = 0;
  #turn: WriterTurn = createWriterTurn();
  #unwatchEnd: (() => void) | undefined;

  /** `noteEvents`: called before a call gives its result, with what happened to the file. */
  constructor(path: string, options: () => ReopeningWriterOptions, noteEvents: (events: FileEvents) => void) {
    this.#options = options;
    this.#thread = new ThreadCaller({
      file: new URL('./sqlite-writer-thread.js', import.meta.url),
      name: path,
      start: () => this.#start(),
      notified: (events) => noteEvents(events as FileEvents), // the thread sends nothing else
    });
  }

  /** What the method gives; rejects with a coded error, also where the thread ended before answering. */
  async call<Method extends keyof WriterMethods>(
    method: Method,
    ...args: Parameters<WriterMethods[Method]>
  ): Promise<Awaited<ReturnType<WriterMethods[Method]>>> {
    try {
      const result = await this.#thread.call(method, ...args);
      this.#held = 0;
      return result;
    } catch (error) {
      const code = isCodedError(error) ? error.code : '';
      this.#held = code === 'PROFILER_STORE_BUSY' ? this.#held + 1 : 0;
      // A file that was opened where nothing can be written stays so as long as any connection of the process has it, and
      // a connection lives on in statements that nothing can end: they go with their thread. After errors of the lock itself
      // a connection takes the file as held for good.
      if (code === 'PROFILER_STORE_READ_ONLY' || this.#held % 3 === 2) this.#thread.leave();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#thread.close('end');
  }

  #start(): { data: unknown; ended(): void } {
    const turn = (this.#turn = createWriterTurn());
    // Behind the profiler's own, which is there before: what it stores at the end is stored.
    this.#unwatchEnd ??= watchProcessEnd({ save: () => {}, end: () => endTurns(this.#turn, maxTurnMs) });
    return {
      data: { options: this.#options(), turn },
      ended: () => {
        turn.fill(0);
        if (this.#turn !== turn) return;
        this.#unwatchEnd?.();
        this.#unwatchEnd = undefined;
      },
    };
  }
}
