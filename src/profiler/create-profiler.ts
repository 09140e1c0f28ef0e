import { createDump, createRedactor, type Redactor } from '#dump';
import type { FlattenOptions } from '#errors';
import type { HttpRequest, HttpResponse, SentResponse } from '#http';
import type { Collector } from './model/collector.js';
import { guardTimer } from './model/guard-timer.js';
import type { ProfileList, ProfileQuery } from './model/profile-query.js';
import type { RecordBucket } from './model/profile-record.js';
import type { ProfileStore, StoreTally } from './model/profile-store.js';
import type { Profiler } from './model/profiler.js';
import type { ProfilerCounters, StoreState } from './model/profiler-state.js';
import type { RecordLookup } from './model/record-lookup.js';
import type { Recording } from './model/recording.js';
import { LateNotes } from './find/late-notes.js';
import { RecordReader, type RecordSources } from './find/record-reader.js';
import { noneOfAnyReason } from './store/policy/retention.js';
import { watchProcessEnd } from './store/policy/process-end.js';
import { SegmentQueue, type SegmentQueueLimits } from './store/segment-queue.js';
import { StoreWatch } from './store/store-watch.js';
import { TokenSource } from './store/tokens/token-source.js';
import { createProcessSampler, type ProcessSampler } from './watch/process-sampler.js';
import { type BatchLimits, Recorder } from './watch/recorder.js';
import { type RecorderLimits, recorderLimits } from './watch/recorder-limits.js';
import { RequestRecording } from './watch/request-recording.js';
import { TraceBudget } from './watch/trace-budget.js';

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
  readonly queue?: Partial<SegmentQueueLimits>;
  /** Told when the store fails or works again; not for each request. */
  readonly onState?: (state: StoreState) => void;
  /** Told of failures inside the profiler, at most once a minute. */
  readonly onFailure?: (error: unknown) => void;
}

const defaultBatch: BatchLimits = { records: 1024, weight: 512 * 1024, delayMs: 50 };
const defaultQueue: SegmentQueueLimits = { records: 50_000, bytes: 64 * 1024 * 1024 };
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
  readonly #queue: SegmentQueue;
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
    this.#queue = new SegmentQueue(this.#store, { ...defaultQueue, ...options.queue }, this.#queueEvents());
    const late = new LateNotes();
    const collectors = options.collectors ?? [];
    this.#recorder = new Recorder(
      {
        redactor,
        limits: { ...recorderLimits, ...options.limits },
        flatten: { redactor, ...options.flatten },
        picture: createDump({ redactor }),
        traces: new TraceBudget(),
        late,
        failed: (error) => this.#failed(error),
      },
      {
        collectors,
        batch: { ...defaultBatch, ...options.batch },
        config: options.config ?? {},
        nextName: () => tokens.next(),
        sample: () => this.#sampler.sample,
        handOver: (segment) => this.#queue.add(segment),
      },
    );
    this.#tokens = tokens;
    this.#reader = new RecordReader({
      ...this.#near(),
      store: options.store,
      tokenOf: (key) => tokens.codec.tokenOf(key),
      keyOf: (token) => tokens.codec.keyOf(token),
      late,
      parts: new Map(collectors.flatMap(({ name, part }) => (part === undefined ? [] : [[name, part]]))),
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

  finish(recording: Recording, response: HttpResponse | undefined, sent: SentResponse): void {
    if (recording instanceof RequestRecording) this.#recorder.finish(recording, response, sent);
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
      pending: this.#recorder.waiting + this.#queue.records - this.#notWritten,
      open: this.#recorder.openCount,
      renamed,
      failures: this.#failures,
    };
  }

  state(): StoreState {
    return this.#watch.state(this.#tally);
  }

  async flush(): Promise<void> {
    this.#recorder.flush();
    await this.#queue.settled();
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
    await within(closeWithin.write, this.#queue.tryAgain());
    this.#notWritten = this.#queue.stop();
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
      const { segments } = this.#queue;
      if (segments.length > 0) this.#store.writeNow?.(segments.toReversed());
    } catch {
      // It is too late to tell anybody.
    }
  }

  /** Records that are not stored yet. */
  #near(): Pick<
    RecordSources,
    'isOpen' | 'snapshot' | 'underWay' | 'unstored' | 'unstoredOf' | 'wasDropped'
  > {
    const [recorder, queue] = [this.#recorder, this.#queue];
    return {
      isOpen: (key) => recorder.isOpen(key),
      snapshot: (key) => recorder.snapshotOf(key),
      underWay: (bucket, olderThan) => recorder.underWay(bucket, olderThan),
      unstored(bucket) {
        const pending = recorder.pending(bucket);
        const queued = queue.segments.filter((segment) => segment.bucket === bucket);
        return pending === undefined ? queued : [pending, ...queued];
      },
      unstoredOf: (key) => recorder.pendingOf(key) ?? queue.find(key),
      wasDropped: (key) => queue.hasDropped(key),
    };
  }

  #queueEvents(): ConstructorParameters<typeof SegmentQueue>[2] {
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
