import { isCodedError } from '#coded-error';
import type { StoreTally } from '../tables/record-store.js';
import type { StoreState } from '../model/profiler-state.js';

type Listener = (state: StoreState) => void;

/** Tracks the state of the store and reports each change once. */
export class StoreWatch {
  readonly #store: string;
  readonly #listener: Listener | undefined;
  #status: StoreState['status'] = 'ready';
  #message = '';
  #code: string | null = null;
  #since: number = Date.now();

  constructor(store: string, listener: Listener | undefined) {
    this.#store = store;
    this.#listener = listener;
  }

  /** Notes that the store failed with an error or, if it is undefined, that the store works. */
  note(error: unknown): void {
    if (this.#status === 'closed') return;
    const code = error === undefined ? null : isCodedError(error) ? error.code : 'PROFILER_STORE_FAILED';
    if (code === this.#code && (error === undefined) === (this.#status === 'ready')) return;
    this.#code = code;
    this.#status = error === undefined ? 'ready' : 'failing';
    this.#message = error === undefined ? 'The store works again.' : messageOf(error);
    this.#since = Date.now();
    this.#notify(this.state());
  }

  /** Passes on what happened to the store, in one sentence for people. */
  say(notice: string): void {
    this.#message = notice;
    this.#notify(this.state());
  }

  close(): void {
    this.#status = 'closed';
    this.#since = Date.now();
  }

  state(tally?: StoreTally): StoreState {
    return {
      status: this.#status,
      store: this.#store,
      message: this.#message,
      code: this.#code,
      since: this.#since,
      records: tally?.records ?? null,
      bytes: tally?.bytes ?? null,
    };
  }

  #notify(state: StoreState): void {
    try {
      this.#listener?.(state);
    } catch {
      // A failing listener must not stop the recorder.
    }
  }
}

function messageOf(error: unknown): string {
  if (!isCodedError(error)) return 'The store failed.';
  return error.fix === undefined ? error.message : `${error.message} ${error.fix}`;
}
