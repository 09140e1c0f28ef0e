import { createDump, createRedactor } from '#dump';
import type { HttpRequest } from '#http';
import type { CollectedField } from './model/section-part.js';
import type { ProfileList, ProfileNews, ProfileQuery } from './model/profile-query.js';
import type { RecordBucket } from './model/profile-record.js';
import type { ProcessAccount, ProcessCounts, ProfileStore, StoreTally } from './model/profile-store.js';
import type { ProfileTotals, TotalsQuery } from './model/profile-totals.js';
import type { BeginOptions, Profiler } from './model/profiler.js';
import type { ProfilerCounters, StoreState } from './model/profiler-state.js';
import type { RecordLookup } from './model/record-lookup.js';
import type { Recording } from './model/recording.js';
import { defaultBatch, defaultQueue, type ProfilerOptions } from './profiler-options.js';
import { createDumpCollector } from './collectors/create-dump-collector.js';
import { allCollectors } from './collectors/all-collectors.js';
import { searchedFields } from './form/summary-columns.js';
import { LateNotes } from './find/late-notes.js';
import { MarkedReader } from './find/marked-reader.js';
import { nearRecords } from './near-records.js';
import { RecordSinks } from './find/record-sinks.js';
import { StoreNotifier } from './store/store-notifier.js';
import { emptyReasonCounts } from './store/policy/retention.js';
import { watchProcessEnd } from './store/policy/process-end.js';
import { within } from './store/policy/within.js';
import { storeNameOf } from './store/store-name.js';
import { SegmentQueue } from './store/segment-queue.js';
import { StoreWatch } from './store/store-watch.js';
import { TokenSource } from './store/tokens/token-source.js';
import { FailureNotes } from './watch/failure-notes.js';
import { processOrigin } from './watch/process-origin.js';
import { createProcessSampler, type ProcessSampler } from './watch/process-sampler.js';
import { Recorder } from './watch/recorder.js';
import { recorderLimits } from './watch/recorder-limits.js';
import { isProfiled, Sampler } from './watch/sampling.js';
import { TraceBudget } from './watch/trace-budget.js';

/** Milliseconds that the end may take: for what is left to write and to export, and for releasing the store. */
const closeTimeoutsMs = { write: 3500, sinks: 1000, store: 1000 };
/** Milliseconds until the writer is started: its thread costs the first answers time. A failure is reported at the first write. */
const firstPruneMs = 300;

/** Creates a profiler that writes to the given store. It leases its first tokens at once. */
export function createProfiler(options: ProfilerOptions): Profiler {
  return new RequestProfiler(options);
}

class RequestProfiler implements Profiler {
  readonly #store: ProfileStore;
  readonly #watch: StoreWatch;
  readonly #sampler: ProcessSampler;
  readonly #queue: SegmentQueue;
  readonly #recorder: Recorder;
  readonly #sinks: RecordSinks;
  readonly finish: Profiler['finish'];
  readonly #reader: MarkedReader;
  readonly marks: Profiler['marks'];
  readonly #sampling: Sampler;
  readonly #dumps: ReturnType<typeof createDumpCollector>;
  #sampledOut = 0;
  readonly #notifier: StoreNotifier;
  readonly collected: readonly CollectedField[];
  #written = 0;
  #tally: StoreTally | undefined; // until the store has said what it holds
  #queueFull = 0;
  #notWritten = 0;
  readonly #failures: FailureNotes;
  #closing: Promise<void> | undefined;
  readonly #tokens: TokenSource;
  #isStarted = false;
  /** The process ends without `close`: by an uncaught error, say, whose request is the one that matters most. */
  readonly #unwatchEnd: () => void;

  constructor(options: ProfilerOptions) {
    const redactor = options.redactor ?? createRedactor();
    this.#store = options.store;
    const sampler = (this.#sampling = new Sampler(options.sample));
    this.#notifier = new StoreNotifier(options.store);
    const { note: failed } = (this.#failures = new FailureNotes(options.onFailure));
    this.#sampler = createProcessSampler(failed);
    this.#watch = new StoreWatch(storeNameOf(options.storeName), options.onState);
    const tokens = (this.#tokens = new TokenSource(
      (amount) => this.#store.lease(amount),
      (error) => this.#watch.note(error),
    ));
    this.#queue = new SegmentQueue(this.#store, { ...defaultQueue, ...options.queue }, this.#queueEvents());
    const late = new LateNotes();
    this.#dumps = createDumpCollector({ redactor });
    const collectors = allCollectors(options, this.#dumps);
    const parts = collectors.flatMap(({ name, part }) => (part === undefined ? [] : [[name, part] as const]));
    this.collected = searchedFields(parts);
    this.#recorder = new Recorder(
      {
        redactor,
        limits: { ...recorderLimits, ...options.limits },
        flatten: { redactor, ...options.flatten },
        picture: createDump({ redactor }),
        traces: new TraceBudget(),
        late,
        failed,
      },
      {
        collectors,
        batch: { ...defaultBatch, ...options.batch },
        config: { ...options.config, ...processOrigin() },
        origin: processOrigin(),
        nextName: () => tokens.next(),
        sample: () => this.#sampler.sample,
        handOver: (segment) => [this.#queue, this.#sinks].forEach((taker) => taker.add(segment)),
        sampler,
      },
    );
    this.finish = this.#recorder.finish;
    const completing = {
      parts: new Map(parts),
      late,
      tokenOf: (key: number): string => tokens.codec.tokenOf(key),
    };
    this.#sinks = new RecordSinks(options.sinks, { ...completing, failed });
    this.#reader = new MarkedReader({
      ...nearRecords(this.#recorder, this.#queue),
      store: options.store,
      keyOf: (token) => tokens.codec.keyOf(token),
      ...completing,
      failed: (error) => this.#readingFailed(error),
    });
    this.marks = this.#reader.marks;
    this.#unwatchEnd = watchProcessEnd({
      save: () => this.#saveNow(() => this.#recorder.flush()),
      end: () => this.#saveNow(() => this.#recorder.abandon()),
    });
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#tokens.start();
    this.#queue.start();
    setTimeout(() => void (this.#closing ?? this.#prune().catch(() => undefined)), firstPruneMs).unref();
  }

  #started(): Promise<void> {
    this.start();
    return this.#tokens.ready();
  }

  sample(request: HttpRequest, options: BeginOptions = {}): Recording | undefined {
    const { bucket, parent } = options;
    // The profiler's own are few, and a request inside another one is kept or not as that one is.
    const isExempt = bucket === 'profiler' || parent?.isOnTrial === false || isProfiled(request, options);
    const decision = isExempt ? 'keep' : this.#sampling.decide(request);
    if (decision === 'keep') return this.begin(request, options);
    if (decision === 'maybe') return this.begin(request, { bucket, parent, isOnTrial: true });
    this.#sampledOut++;
    return undefined;
  }

  begin(request: HttpRequest, options: BeginOptions = {}): Recording {
    if (!this.#isStarted) this.start();
    return this.#recorder.begin(request, options);
  }

  async find(token: string): Promise<RecordLookup> {
    await this.#started();
    try {
      return await this.#reader.find(token);
    } catch (error) {
      this.#readingFailed(error);
      return { kind: 'missing' };
    }
  }

  async list(query: ProfileQuery = {}): Promise<ProfileList> {
    await this.#started();
    return this.#reader.list(query);
  }

  async totals(query: TotalsQuery = {}): Promise<ProfileTotals> {
    await this.#started();
    return this.#reader.totals(query);
  }

  async news(...asked: Parameters<Profiler['news']>): Promise<ProfileNews | undefined> {
    await this.#started();
    return this.#reader.news(...asked);
  }

  onNews(wake: () => void): () => void {
    return this.#notifier.listen(wake);
  }

  counters(): ProfilerCounters {
    const { pruned = emptyReasonCounts(), lost = 0, renamed = 0 } = this.#tally ?? {};
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
      sampledOut: this.#sampledOut + this.#recorder.sampledOut,
      renamed,
      recordingMs: this.#recorder.spentMs,
      failures: this.#failures.count,
    };
  }

  async processes(): Promise<readonly ProcessAccount[]> {
    this.start();
    try {
      return (await this.#store.processes?.()) ?? [];
    } catch (error) {
      this.#readingFailed(error);
      return [];
    }
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
    await Promise.all([this.#prune(bucket), this.#reader.forget(bucket)]);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#dumps.close();
    this.#recorder.abandon();
    const exported = within(closeTimeoutsMs.sinks, this.#sinks.close());
    await within(closeTimeoutsMs.write, this.#queue.tryAgain());
    await exported;
    this.#notWritten = this.#queue.stop();
    // Its content is checked again: a file can be damaged without anyone having read it.
    if (this.#isStarted) await within(closeTimeoutsMs.store, this.#prune());
    await within(closeTimeoutsMs.store, this.#store.close());
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
      const counts = this.#counts(this.#queue.records);
      if (segments.length > 0) this.#store.writeNow?.(segments.toReversed(), counts);
    } catch {
      // It is too late to report it.
    }
  }

  #queueEvents(): ConstructorParameters<typeof SegmentQueue>[2] {
    return {
      written: (records, tally) => {
        this.#written += records;
        this.#tally = tally;
        this.#watch.noteAside(tally.setAside);
        this.#notifier.notify();
      },
      dropped: (records) => {
        this.#queueFull += records;
      },
      store: (error) => this.#watch.note(error),
      counts: (writing) => this.#counts(writing),
    };
  }

  #counts(writing: number): ProcessCounts {
    const { made, dropped, pending } = this.counters();
    const all = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    return { made, dropped: all, pending: pending - writing };
  }

  /** Of a store that is out of order it was said already. */
  #readingFailed(error: unknown): void {
    if (this.#watch.state().status === 'ready') this.#failures.note(error);
  }
}
