import type { Writer } from './writer.js';

/** The methods of a writer that take something, without an answer. */
export type PostingMethod = 'addSource' | 'add' | 'addLate' | 'reserve';
/** Those that answer. */
export type AskingMethod = 'find' | 'list' | 'totals' | 'update' | 'flush' | 'close';
export type ArgsOf<Method extends PostingMethod | AskingMethod> = Parameters<Writer[Method]>;
export type AnswerOf<Method extends AskingMethod> = Awaited<ReturnType<Writer[Method]>>;

/** How the thread that records calls a writer, whether that has a thread of its own or not. */
export interface WriterLink {
  /** Starts what is needed to write; until then, batches wait. */
  start(): void;
  post<Method extends PostingMethod>(method: Method, ...args: ArgsOf<Method>): void;
  ask<Method extends AskingMethod>(method: Method, ...args: ArgsOf<Method>): Promise<AnswerOf<Method>>;
  /** Writes what waits, while nothing can be awaited: the process may end, or ends (`isLast`). */
  saveNow(options: { readonly isLast: boolean }): void;
}

/** A writer on the thread that records: for a store in memory, and for one that the application opened. */
export class LocalWriter implements WriterLink {
  readonly #writer: Writer;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  start(): void {}

  post<Method extends PostingMethod>(method: Method, ...args: ArgsOf<Method>): void {
    Reflect.apply(this.#writer[method], this.#writer, args);
  }

  async ask<Method extends AskingMethod>(method: Method, ...args: ArgsOf<Method>): Promise<AnswerOf<Method>> {
    const answer: unknown = await Reflect.apply(this.#writer[method], this.#writer, args);
    return answer as AnswerOf<Method>; // of this method
  }

  saveNow(): void {}
}
