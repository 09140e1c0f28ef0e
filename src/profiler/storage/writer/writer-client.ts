import { isCodedError } from '#core/coded-error';
import type { ProfilerCounters, StoreState } from '../../model/profiler.js';
import { storeNameOf } from '../tables/store-name.js';
import type { RecordStore, StoreTally } from '../tables/record-store.js';
import type { Retention } from '../tables/retention.js';
import { spanKinds } from '../../recording/span-list.js';
import { type FirstIds, reserveFirstIds } from './first-ids.js';
import { amounts, IdSource } from './id-source.js';
import { loadConverter } from './load-converter.js';
import type { SourceSettings, WriterCounts } from './writer-options.js';
import {
  type AnswerOf,
  type ArgsOf,
  type AskingMethod,
  type PostingMethod,
  type ThreadEvents,
  WriterThread,
  type WriterThreadData,
} from './thread-link.js';
import { Writer } from './writer.js';

/** An application whose records a client writes. */
export interface ClientSource {
  readonly settings: SourceSettings;
  /** How many records the application made, and how many it could not encode. */
  readonly made: () => number;
  readonly unrecordable: () => number;
  readonly onState: ((state: StoreState) => void) | undefined;
  readonly failed: (error: unknown) => void;
}

/** Record counts of all applications that share a client. */
export type ClientCounts = Pick<ProfilerCounters, 'made' | 'stored' | 'pruned' | 'dropped' | 'pending'>;

const nothingWritten: WriterCounts = {
  stored: 0,
  pruned: 0,
  dropped: { 'queue-full': 0, unrecordable: 0, refused: 0 },
  waiting: 0,
};
const closeTimeoutMs = 3500;

/** Clients by store, because a process's applications share one writer per store. */
const clients = new Map<string, WriterClient>();

/** The application side of a writer: ids for records, store state, and counts. */
export class WriterClient {
  readonly ids: IdSource;
  /** A thread, except for stores in memory or opened by the application. */
  readonly #writer: WriterThread | Writer;
  readonly #watch: StoreWatch;
  readonly #sources = new Map<number, ClientSource>();
  readonly #key: string | undefined;
  /** Undefined without a thread. */
  readonly #data: WriterThreadData | undefined;
  #numbers = 0;
  #counts: WriterCounts = nothingWritten;
  /** Ended threads' counts, including the records lost in them. */
  #before: WriterCounts = nothingWritten;
  #lost = 0;
  readonly #closed = { made: 0, unrecordable: 0 };
  #notWritten = 0;
  #leaving = 0;
  /** True once the first ids have arrived, or are known not to arrive soon. */
  #hasBegun = false;
  #begun: Promise<void> | undefined;
  #firstIds: FirstIds | undefined;
  #begin: () => void = () => void (this.#hasBegun = true);

  private constructor(store: string | RecordStore, retention: Retention, key: string | undefined) {
    this.#key = key;
    this.#watch = new StoreWatch(typeof store === 'string' ? storeNameOf(store) : 'given store', (state) => {
      for (const { onState } of this.#sources.values()) onState?.(state);
    });
    const events: ThreadEvents = {
      wrote: (counts, tally, error) => {
        this.#releaseFirst();
        this.#wrote(counts, tally, error);
      },
      reserved: (from, to) => {
        this.ids.add(from, to);
        this.#begin();
      },
      failed: (error) => this.#failed(error),
      ended: (reason) => this.#ended(reason),
    };
    if (key !== undefined && typeof store === 'string') {
      this.#data = { address: store, retention };
      this.#writer = new WriterThread(this.#data, events);
      this.ids = new IdSource((amount) => this.post('reserve', amount));
      return;
    }
    const isLazy = typeof store === 'string';
    const open = async (): Promise<RecordStore> => {
      if (typeof store !== 'string') return store;
      const { openStore } = await import('../tables/open-store.js'); // other stores are opened by the thread
      return openStore(store, { retention });
    };
    this.#writer = new Writer({ open, retention, isLazy, kinds: spanKinds(), loadConverter, events });
    this.ids = new IdSource();
  }

  /** Returns a store's client. Applications share one client per address, except for `memory:`. */
  static of(store: string | RecordStore, retention: Retention): WriterClient {
    if (typeof store !== 'string' || store === 'memory:')
      return new WriterClient(store, retention, undefined);
    const key = JSON.stringify([store, retention]);
    let client = clients.get(key);
    if (client === undefined) clients.set(key, (client = new WriterClient(store, retention, key)));
    return client;
  }

  add(source: ClientSource): number {
    const number = ++this.#numbers;
    this.#sources.set(number, source);
    this.post('addSource', number, source.settings);
    return number;
  }

  post<Method extends PostingMethod>(method: Method, ...args: ArgsOf<Method>): void {
    const writer = this.#writer;
    if (writer instanceof WriterThread) writer.post(method, ...args);
    else Reflect.apply(writer[method], writer, args);
  }

  async ask<Method extends AskingMethod>(method: Method, ...args: ArgsOf<Method>): Promise<AnswerOf<Method>> {
    const writer = this.#writer;
    if (writer instanceof WriterThread) return writer.ask(method, ...args);
    const answer: unknown = await Reflect.apply(writer[method], writer, args);
    return answer as AnswerOf<Method>; // this method's result
  }

  /**
   * Writes pending records synchronously, because the process may end (or ends: `isLast`) and nothing can be awaited.
   */
  saveNow(options: { readonly isLast: boolean }): void {
    if (this.#writer instanceof WriterThread) this.#writer.saveNow(options);
    this.#releaseFirst();
  }

  start(): void {
    if (this.isOff) return;
    if (this.#writer instanceof WriterThread) this.#writer.start();
    if (this.ids.isEmpty) this.ids.ask();
  }

  /**
   * Reserves the first ids, which starts the writer only if this thread cannot do it. Resolves when the first ids
   * arrive, when the store fails, or after `maxMs`; returns undefined if there is nothing to wait for. `keepsAlive`
   * sets whether the process stays alive meanwhile.
   */
  ready(maxMs: number, { keepsAlive }: { readonly keepsAlive: boolean }): Promise<void> | undefined {
    if (!this.ids.isEmpty) this.#hasBegun = true;
    if (this.#hasBegun) return undefined;
    if (this.#begun === undefined) {
      this.#begun = new Promise<void>((resolve) => {
        this.#begin = () => {
          this.#hasBegun = true;
          resolve();
        };
      });
      void this.#reserveFirst();
    }
    return within(maxMs, this.#begun, { keepsAlive }).then(() => this.#begin());
  }

  async #reserveFirst(): Promise<void> {
    try {
      const first = this.#data === undefined ? undefined : await reserveFirstIds(this.#data, amounts.first);
      if (first !== undefined) {
        this.#firstIds = first;
        this.ids.add(first.from, first.to);
        return this.#begin();
      }
    } catch (error) {
      // The thread would not find SQLite either. It waits for locks, replaces damaged files and reports everything else.
      if (isCodedError(error) && error.code === 'PROFILER_STORE_DRIVER')
        return this.#wrote(this.#counts, undefined, error);
    }
    this.start();
  }

  #releaseFirst(): void {
    this.#firstIds?.release();
    this.#firstIds = undefined;
  }

  state(): StoreState {
    return this.#watch.state;
  }

  /** True if records can never be stored, because SQLite is missing. In-memory records can still wait and be read. */
  get isOff(): boolean {
    return this.#key !== undefined && this.#watch.state.code === 'PROFILER_STORE_DRIVER';
  }

  counts(): ClientCounts {
    const { stored, pruned, dropped } = addUp(this.#before, this.#counts);
    let { made, unrecordable } = this.#closed;
    for (const source of this.#sources.values()) {
      made += source.made();
      unrecordable += source.unrecordable();
    }
    const allDropped = {
      ...dropped,
      unrecordable: dropped.unrecordable + unrecordable,
      'writer-ended': this.#lost,
      'not-written-at-close': this.#notWritten,
    };
    const lost = Object.values(allDropped).reduce((all, count) => all + count, 0);
    return { made, stored, pruned, dropped: allDropped, pending: made - stored - pruned - lost };
  }

  /** Removes an application. With the last one, pending records are written and the store is released. */
  async release(number: number): Promise<void> {
    // Several applications may leave at the same time; the last one releases the store.
    if (++this.#leaving < this.#sources.size) await within(closeTimeoutMs, this.ask('flush'));
    else {
      this.#begin();
      if (this.#key !== undefined) clients.delete(this.#key);
      await within(closeTimeoutMs, this.ask('close'));
      this.#releaseFirst();
      this.#notWritten += this.counts().pending;
      this.#watch.close();
      return;
    }
    const source = this.#sources.get(number);
    this.#leaving--;
    this.#sources.delete(number);
    this.post('removeSource', number);
    this.#closed.made += source?.made() ?? 0;
    this.#closed.unrecordable += source?.unrecordable() ?? 0;
  }

  #wrote(counts: WriterCounts, tally: StoreTally | undefined, error: unknown): void {
    this.#counts = counts;
    this.#watch.note(error, tally);
    if (error !== undefined) this.#begin();
  }

  #failed(error: unknown): void {
    for (const { failed } of this.#sources.values()) return failed(error);
  }

  /** Called when the thread has ended; its waiting records are lost. */
  #ended(reason: string): void {
    const { pending } = this.counts();
    this.#lost += pending;
    this.#before = addUp(this.#before, this.#counts);
    this.#counts = nothingWritten;
    this.ids.reset();
    this.#begin();
    this.#failed(new Error(`The writer thread exited (${reason}); ${pending} records were lost.`));
  }
}

/** Tracks the store's state and reports each change once. */
export class StoreWatch {
  readonly #listener: (state: StoreState) => void;
  #state: StoreState;

  constructor(store: string, listener: (state: StoreState) => void) {
    this.#listener = listener;
    const [since, unknown] = [Date.now(), { records: null, bytes: null }];
    this.#state = { status: 'ready', store, message: '', code: null, since, ...unknown };
  }

  get state(): StoreState {
    return this.#state;
  }

  /** Records a store error or, if it is undefined, that the store works, with its current totals. */
  note(error: unknown, tally?: StoreTally): void {
    if (this.#state.status === 'closed') return;
    if (tally !== undefined) this.#state = { ...this.#state, records: tally.records, bytes: tally.bytes };
    const code = error === undefined ? null : isCodedError(error) ? error.code : 'PROFILER_STORE_FAILED';
    if (code !== this.#state.code) {
      const since = Date.now();
      if (error === undefined) this.#say({ status: 'ready', code, message: 'The store works again.', since });
      else this.#say({ status: 'failing', code, message: messageOf(error), since });
    }
    if (tally?.notice !== undefined) this.#say({ message: tally.notice });
  }

  close(): void {
    this.#state = { ...this.#state, status: 'closed', since: Date.now() };
  }

  #say(change: Partial<StoreState>): void {
    this.#state = { ...this.#state, ...change };
    try {
      this.#listener(this.#state);
    } catch {
      // A failing listener must not stop the recorder.
    }
  }
}

function messageOf(error: unknown): string {
  if (!isCodedError(error)) return 'The store failed.';
  return error.fix === undefined ? error.message : `${error.message} ${error.fix}`;
}

/** Adds up two counts. Records that waited in an ended thread no longer wait. */
function addUp(a: WriterCounts, b: WriterCounts): WriterCounts {
  const dropped = {
    'queue-full': a.dropped['queue-full'] + b.dropped['queue-full'],
    unrecordable: a.dropped.unrecordable + b.dropped.unrecordable,
    refused: a.dropped.refused + b.dropped.refused,
  };
  return { stored: a.stored + b.stored, pruned: a.pruned + b.pruned, dropped, waiting: b.waiting };
}

/** Waits until a promise settles, but at most the given number of milliseconds. Keeps the process alive by default. */
export async function within(
  milliseconds: number,
  work: Promise<unknown>,
  { keepsAlive = true }: { readonly keepsAlive?: boolean } = {},
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
    if (!keepsAlive) timer.unref();
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
