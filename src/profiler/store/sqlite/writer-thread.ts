import { isCodedError } from '#coded-error';
import { watchProcessEnd } from '../policy/process-end.js';
import { ThreadCaller } from '../thread/thread-caller.js';
import type { ReopeningWriterOptions } from './reopening-writer.js';
import { createWriterTurn, endTurns, type WriterTurn } from './writer-turn.js';
import type { WriterOrder, WriterReply } from './writer-message.js';

/** Milliseconds that the end of the process waits for the thread. */
const maxTurnMs = 2000;

/** Our end of the writer's thread. */
export class WriterThread {
  readonly #options: () => ReopeningWriterOptions;
  readonly #thread: ThreadCaller<{ readonly order: WriterOrder }, WriterReply>;
  /** Replies in a row that said the file is held. */
  #held = 0;
  #turn: WriterTurn = createWriterTurn();
  #unwatchEnd: (() => void) | undefined;

  constructor(path: string, options: () => ReopeningWriterOptions) {
    this.#options = options;
    this.#thread = new ThreadCaller({
      file: new URL('./sqlite-writer-thread.js', import.meta.url),
      name: path,
      start: () => this.#start(),
    });
  }

  /** Resolves with the answer; rejects with a coded error, also where the thread ended before answering. */
  async order(order: WriterOrder): Promise<WriterReply> {
    try {
      const reply = await this.#thread.ask({ order });
      this.#held = 0;
      return reply;
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
    return this.#thread.close({ order: { kind: 'close' } });
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
