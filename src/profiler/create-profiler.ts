import { createRedactor, type Redactor } from '#dump';
import type { FlattenOptions } from '#errors';
import type { HttpRequest, HttpResponse, SentResponse } from '#http';
import { createProcessSampler, type ProcessSampler } from './collectors/process-sampler.js';
import type { Collector } from './model/collector.js';
import { guardTimer } from './model/guard-timer.js';
import type { ProfileList, ProfileQuery } from './model/profile-query.js';
import type { RecordBucket } from './model/profile-record.js';
import type { ProfileStore, StoreTally } from './model/profile-store.js';
import type { Profiler } from './model/profiler.js';
import type { ProfilerCounters, StoreState } from './model/profiler-state.js';
import type { RecordLookup } from './model/record-lookup.js';
import type { Recording } from './model/recording.js';
import { Outbox, type OutboxLimits } from './record/outbox.js';
import { LateNotes } from './record/late-notes.js';
import { LogContexts } from './record/log-contexts.js';
import { PlainCopies } from './record/plain-copies.js';
import { RecordReader } from './record/record-reader.js';
import { Recorder } from './record/recorder.js';
import type { BatchLimits } from './record/bucket-writer.js';
import { type RecorderLimits, recorderLimits } from './record/recorder-limits.js';
import { RequestRecording } from './record/request-recording.js';
import { TokenSource } from './record/token-source.js';
import { TraceBudget } from './record/trace-budget.js';
import { noneOfAnyReason } from './store/retention.js';
import { watchProcessEnd } from './store/process-end.js';
import { StoreWatch } from './store/store-watch.js';

/** What a profiler is made of. */
export interface ProfilerOptions {
  readonly store: ProfileStore;
  /** How the store is called in its state: its address. */
  readonly storeName: string;
  readonly redactor?: Redactor;
  /** How thrown values are read; give the loader of sources that the error page uses. */
  readonly flatten?: FlattenOptions;
  /** Environment, versions and settings that each record shows. No secrets. */
  readonly config?: Readonly<Record<string, string | number | boolean>>;
  readonly collectors?: readonly Collector[];
  readonly limits?: Partial<RecorderLimits>;
  readonly batch?: Partial<BatchLimits>;
  readonly outbox?: Partial<OutboxLimits>;
  /** Told when the store fails or works again; not for each request. */
  readonly onState?: (state: StoreState) => void;
  /** Told of failures inside the profiler, at most once a minute. */
  readonly onFailure?: (error: unknown) => void;
}

const defaultBatch: BatchLimits = { records: 1024, weight: 512 * 1024, delayMs: 50 };
const defaultOutbox: OutboxLimits = { records: 50_000, bytes: 64 * 1024 * 1024 };
/** Milliseconds that the end may take: for writing what is left, and for letting go of the store. */
const closeWithin = { write: 3500, store: 1000 };

/** Makes a profiler that writes to the store given. It takes its first tokens at once. */
export function createProfiler(options: ProfilerOptions): Profiler {
  return new RequestProfiler(options);
}

class RequestProfiler implements Profiler {
  readonly #store: ProfileStore;
  readonly #watch: StoreWatch;
  readonly #sampler: ProcessSampler;
  readonly #outbox: Outbox;
  readonly #recorder: Recorder;
  readonly #reader: RecordReader;
  #written = 0;
  /** Undefined until the store has said what it holds. */
  #tally: StoreTally | undefined;
  #queueFull = 0;
  #notWritten = 0;
  #failures = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  readonly #onFailure: ((error: unknown) => void) | undefined;
  #closing: Promise<void> | undefined;
  readonly #tokens: TokenSource;
  #isStarted = false;
  /** The process ends without `close`: by an uncaught error, say, whose request is the one that matters most. */
  readonly #unwatchEnd: () => void;

  constructor(options: ProfilerOptions) {
    const redactor = options.redactor ?? createRedactor();
    this.#store = options.store;
    this.#onFailure = options.onFailure;
    this.#sampler = createProcessSampler((error) => this.#failed(error));
    this.#watch = new StoreWatch(options.storeName, options.onState);
    const tokens = new TokenSource(
      (amount) => this.#store.lease(amount),
      (error) => this.#watch.note(error),
    );
    this.#outbox = new Outbox(this.#store, { ...defaultOutbox, ...options.outbox }, this.#outboxEvents());
    const late = new LateNotes();
    this.#recorder = new Recorder(
      {
        redactor,
        limits: { ...recorderLimits, ...options.limits },
        flatten: { redactor, ...options.flatten },
        traces: new TraceBudget(),
        contexts: new LogContexts(redactor),
        copies: new PlainCopies(redactor),
        late,
        failed: (error) => this.#failed(error),
      },
      {
        tokens,
        collectors: options.collectors ?? [],
        batch: { ...defaultBatch, ...options.batch },
        config: JSON.stringify(options.config ?? {}),
        sample: () => this.#sampler.sample,
        handOver: (segment) => this.#outbox.add(segment),
      },
    );
    this.#tokens = tokens;
    const { store } = options;
    this.#reader = new RecordReader({
      recorder: this.#recorder,
      outbox: this.#outbox,
      store,
      tokens,
      late,
      failed: (error) => this.#readingFailed(error),
    });
    this.#unwatchEnd = watchProcessEnd({
      save: () => this.#saveNow(() => this.#recorder.flush()),
      end: () => this.#saveNow(() => this.#recorder.abandon()),
    });
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#tokens.start();
    // Starts whatever writes before the first record is there, and tells what the store holds.
    this.#prune().catch(() => undefined); // what is wrong is told at the first write
  }

  begin(request: HttpRequest, options: { bucket?: RecordBucket; parent?: Recording } = {}): Recording {
    this.start();
    const parent = options.parent instanceof RequestRecording ? options.parent : undefined;
    return this.#recorder.begin(request, options.bucket ?? 'app', parent);
  }

  finish(
    recording: Recording,
    response: HttpResponse | undefined,
    sent: SentResponse,
    follows?: boolean,
  ): void {
    if (recording instanceof RequestRecording) this.#recorder.finish(recording, response, sent, follows);
  }

  tokenOf(recording: Recording): string {
    return recording.token;
  }

  async find(token: string): Promise<RecordLookup> {
    this.start();
    try {
      if (token !== 'latest') return await this.#reader.find(token);
      const latest = (await this.#reader.list({ limit: 1 })).rows[0]?.token;
      return latest === undefined ? { kind: 'never' } : await this.#reader.find(latest);
    } catch (error) {
      this.#readingFailed(error);
      return { kind: 'missing' };
    }
  }

  async list(query: ProfileQuery = {}): Promise<ProfileList> {
    this.start();
    try {
      return await this.#reader.list(query);
    } catch (error) {
      this.#readingFailed(error);
      return { rows: [], next: null, complete: false };
    }
  }

  counters(): ProfilerCounters {
    const { pruned = noneOfAnyReason(), lost = 0, renamed = 0 } = this.#tally ?? {};
    const gone = Object.values(pruned).reduce((sum, count) => sum + count, lost);
    return {
      made: this.#recorder.made,
      stored: this.#written - gone,
      pruned: { ...pruned },
      dropped: {
        'queue-full': this.#queueFull,
        unrecordable: this.#recorder.unrecordable,
        'store-set-aside': lost,
        'not-written-at-close': this.#notWritten,
      },
      pending: this.#recorder.waiting + this.#outbox.records - this.#notWritten,
      open: this.#recorder.open.size,
      renamed,
      failures: this.#failures,
    };
  }

  state(): StoreState {
    return this.#watch.state(this.#tally);
  }

  async flush(): Promise<void> {
    this.#recorder.flush();
    await this.#outbox.settled();
  }

  async purge(bucket: RecordBucket): Promise<void> {
    await this.flush();
    await this.#prune(bucket);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#recorder.abandon();
    await within(closeWithin.write, this.#outbox.tryAgain());
    this.#notWritten = this.#outbox.stop();
    // What it holds is looked at once more: a file can be damaged without anybody having read it.
    if (this.#isStarted) await within(closeWithin.store, this.#prune());
    await within(closeWithin.store, this.#store.close());
    // Until here a second signal may end the process.
    this.#unwatchEnd();
    this.#sampler.stop();
    this.#watch.close();
  }

  async #prune(bucket?: RecordBucket): Promise<void> {
    this.#tally = await this.#store.prune(bucket);
    this.#watch.noteAside(this.#tally.setAside);
  }

  /** A segment that is being written as well is stored once: it has its number. */
  #saveNow(handOver: () => void): void {
    try {
      handOver();
      const { segments } = this.#outbox;
      if (segments.length > 0) this.#store.writeNow?.(segments.toReversed());
    } catch {
      // It is too late to tell anybody.
    }
  }

  #outboxEvents(): ConstructorParameters<typeof Outbox>[2] {
    return {
      written: (records, tally) => {
        this.#written += records;
        this.#tally = tally;
        this.#watch.noteAside(tally.setAside);
      },
      dropped: (records) => {
        this.#queueFull += records;
      },
      store: (error) => this.#watch.note(error),
    };
  }

  /** Of a store that is out of order it was said already. */
  #readingFailed(error: unknown): void {
    if (this.#watch.state().status === 'ready') this.#failed(error);
  }

  #failed(error: unknown): void {
    this.#failures++;
    const now = performance.now();
    if (this.#onFailure === undefined || now - this.#toldAt < 60_000) return;
    this.#toldAt = now;
    guardTimer(
      () => this.#onFailure?.(error),
      () => this.#failures++,
    )();
  }
}

/** Waits for a promise, whatever becomes of it, but no longer than so many milliseconds. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
