import { createDump, createRedactor, markKeyId, type Redactor } from '#core/dump';
import type { HttpRequest } from '#core/http';
import { readOptions } from '#core/options';
import { runOutsideRequests } from '#core/scope';
import { createSections } from './sections/collected.js';
import type { RecordMark } from './model/record-lookup.js';
import { markKeyFact, type ProfileRecord, type RecordOrigin } from './model/profile-record.js';
import type { BeginOptions, LibrarySource, Profiler, ProfilerCounters } from './model/profiler.js';
import { boundedRoutes, type DeclaredRoutes } from './model/declared-routes.js';
import type { Recording } from './model/recording.js';
import {
  type CollectedField,
  collectedFields,
  type CollectedSection,
  declarationOf,
  type Section,
} from './sections/section.js';
import { retentionSchema } from './option-schemas.js';
import { recorderLimitsSchema, type ProfilerOptions, profilerSchema } from './profiler-options.js';
import type { Amendments } from './encoding/amendments.js';
import { idOf } from './encoding/token.js';
import { FailureNotes } from './recording/failure-notes.js';
import { processOrigin, createProcessSampler, type ProcessSampler } from './recording/process-sampler.js';
import { createIgnore } from './recording/ignored-requests.js';
import { Recorder } from './recording/recorder.js';
import { isProfiled, Sampler } from './recording/sampling.js';
import { type Batch, BatchBuffer, type Unlocated } from './recording/batch-buffer.js';
import { TraceBudget } from './recording/trace-budget.js';
import type { SourceSettings } from './storage/writer/writer-options.js';
import { watchProcessEnd } from './storage/writer/process-end.js';
import { RecordReader } from './storage/writer/record-reader.js';
import { QuietMoment } from './recording/quiet-moment.js';
import type { AnswerOf, ArgsOf, AskingMethod } from './storage/writer/thread-link.js';
import { WriterClient } from './storage/writer/writer-client.js';

/** Creates a profiler that writes to the given store. */
export function createProfiler(options: ProfilerOptions): Profiler {
  return new RequestProfiler(readOptions('createProfiler()', options, profilerSchema));
}

class RequestProfiler implements Profiler {
  readonly collected: readonly CollectedField[];
  readonly finish: Profiler['finish'];
  readonly whenQuiet: Profiler['whenQuiet'] = (work) => this.#quiet.prepare(work);
  readonly find: Profiler['find'] = (...args) => this.#reader.find(...args);
  readonly list: Profiler['list'] = (query) => this.#reader.list(query);
  readonly totals: Profiler['totals'] = (query) => this.#reader.totals(query);
  readonly routes: Profiler['routes'] = () => this.#reader.routes();
  readonly news: Profiler['news'] = (...asked) => this.#reader.news(...asked);
  readonly state: Profiler['state'] = () => this.#client.state();
  readonly #client: WriterClient;
  readonly #source: number;
  readonly #buffer: BatchBuffer;
  readonly #recorder: Recorder;
  readonly #reader: RecordReader;
  readonly #processSampler: ProcessSampler;
  readonly #sampler: Sampler;
  readonly #sections: readonly (CollectedSection | Section)[];
  readonly #failures: FailureNotes;
  #sampledOut = 0;
  readonly #isIgnored: ((request: HttpRequest) => boolean) | undefined;
  readonly #redactor: Redactor;
  readonly #quiet: QuietMoment;
  #begun = 0;
  #closing: Promise<void> | undefined;
  readonly #unwatchEnd: () => void;
  #settings: SourceSettings;
  #libraries: LibrarySource | undefined;
  #libraryChanges = 0;

  constructor(options: ProfilerOptions) {
    const { redaction = {}, bodyTypes } = options;
    const redactor = (this.#redactor = createRedactor(redaction));
    const limits = readOptions('createProfiler(): limits', options.limits, recorderLimitsSchema);
    const { note: failed } = (this.#failures = new FailureNotes(options.onFailure));
    const origin = processOrigin();
    this.#isIgnored = createIgnore(options.ignore ?? [], failed);
    const sampler = (this.#sampler = new Sampler(options.sample));
    this.#processSampler = createProcessSampler(failed);
    const sections = createSections({ redactor, own: options.sections, budgets: options.budgets });
    this.#sections = sections;
    this.collected = collectedFields(sections.map(declarationOf));
    const retention = readOptions('createProfiler(): retention', options.retention, retentionSchema);
    const client = (this.#client = WriterClient.of(options.store, retention));
    this.#settings = {
      redaction: { keys: [...(redaction.keys ?? [])], allow: [...(redaction.allow ?? [])] },
      config: { ...options.config, ...origin, [markKeyFact]: markKeyId },
      limits: { requestBody: limits.requestBody, responseBody: limits.responseBody },
      bodyTypes: bodyTypes && [...bodyTypes],
    };
    this.#source = client.add({
      settings: this.#settings,
      made: () => this.#recorder.made,
      unrecordable: () => this.#recorder.unrecordable + this.#buffer.lost,
      onState: options.onState,
      failed,
    });
    this.#quiet = new QuietMoment({
      activity: () => this.#begun + this.#recorder.made,
      openCount: () => this.#recorder.openCount,
      failed,
    });
    this.#quiet.prepare(() => client.start());
    this.#buffer = new BatchBuffer(
      (batches, unlocated) => {
        this.#quiet.postpone(() => runOutsideRequests(() => this.#post(batches, unlocated)));
        if (batches.some(({ isUrgent }) => isUrgent)) this.#quiet.hurry();
      },
      failed,
      options.batch,
    );
    this.#recorder = new Recorder({
      redactor,
      limits,
      bodyTypes,
      flatten: { redactor, ...options.flatten },
      snapshot: createDump({ redactor }),
      traces: new TraceBudget(),
      sections,
      buffer: this.#buffer,
      locatesLater: () => !this.#quiet.isOver,
      nextName: () => client.ids.next(),
      sample: () => this.#processSampler.sample,
      sampler,
      late: (id, notes) => this.#addLate(id, notes),
      failed,
    });
    this.finish = this.#recorder.finish;
    this.#reader = this.#createReader();
    this.#unwatchEnd = watchProcessEnd({
      save: () => this.#guard(() => this.#saveNow({ isLast: false })),
      end: () => this.#guard(() => this.#saveNow({ isLast: true })),
    });
  }

  #createReader(): RecordReader {
    const client = this.#client;
    return new RecordReader({
      ask: {
        find: (...args) => this.#ask('find', ...args),
        list: (...args) => this.#ask('list', ...args),
        totals: (query) => this.#ask('totals', query),
        routes: () => this.#ask('routes'),
      },
      open: {
        recorder: this.#recorder,
        source: this.#source,
        flush: () => this.#buffer.flush(),
        wasGiven: (id) => client.ids.wasGiven(id),
      },
      failed: (error) => this.#readingFailed(error),
    });
  }

  start(): void {
    this.#quiet.start();
  }

  ready(maxMs: number, { keepsAlive = true } = {}): Promise<void> | undefined {
    if (this.#closing !== undefined) return undefined;
    this.#quiet.start();
    return runOutsideRequests(() => this.#client.ready(maxMs, { keepsAlive }));
  }

  get isOff(): boolean {
    return this.#client.isOff;
  }

  sample(request: HttpRequest, options: BeginOptions = {}): Recording | undefined {
    if (this.#client.isOff) return undefined;
    const { origin } = options;
    if (origin !== 'profiler' && this.#isIgnored?.(request) === true) return undefined;
    const decision = this.#sampler.decide(request);
    const isKept = decision === 'keep' || origin === 'profiler'; // the profiler's own requests are few
    if (isKept || isProfiled(request, options)) return this.begin(request, options);
    if (decision === 'maybe') return this.begin(request, { origin, isTailSampled: true });
    this.#sampledOut++;
    return undefined;
  }

  begin(request: HttpRequest, options: BeginOptions = {}): Recording {
    if (this.#begun++ === 0) this.start();
    return this.#recorder.begin(request, options);
  }

  async mark(token: string, mark: RecordMark | null): Promise<boolean> {
    const id = idOf(token);
    if (id === undefined) return false;
    this.#buffer.flush();
    return (await this.#ask('update', { id }, { mark })) > 0;
  }

  async addBrowserReport(token: string, text: string): Promise<void> {
    const id = idOf(token);
    const { parseBrowserReport } = await import('./sections/browser/section.js'); // loaded with the first report
    const browser = parseBrowserReport(text, this.#redactor);
    if (id !== undefined && browser !== undefined) this.#addLate(id, { browser });
  }

  describe(facts: ProfileRecord['config']): void {
    this.#change({ config: { ...this.#settings.config, ...facts } });
  }

  describeLibraries(libraries: LibrarySource): void {
    this.#libraries = libraries;
  }

  #change(change: Partial<SourceSettings>): void {
    if (this.#closing !== undefined) return;
    this.#buffer.flush(); // records already closed keep their configuration
    this.#quiet.postpone(() => this.#describe(change));
  }

  #describe(change: Partial<SourceSettings>): void {
    this.#settings = { ...this.#settings, ...change };
    this.#client.post('addSource', this.#source, this.#settings);
  }

  declareRoutes(declared: DeclaredRoutes): void {
    if (this.#closing !== undefined) return;
    const { instance } = processOrigin();
    runOutsideRequests(() =>
      this.#client.post('declareRoutes', this.#source, instance, boundedRoutes(declared)),
    );
  }

  /** Posts batches, after the libraries that their requests may have loaded. */
  #post(batches: readonly Batch[], unlocated: readonly Unlocated[]): void {
    const changes = this.#guard(() => this.#libraries?.changes()) ?? 0;
    if (changes !== this.#libraryChanges) {
      this.#libraryChanges = changes;
      this.#guard(() => this.#describe({ libraries: this.#libraries?.list() }));
    }
    const places = unlocated.flatMap(({ id, locate }) => {
      const place = this.#guard(locate);
      return place === undefined ? [] : { id, ...place };
    });
    const located = batches.map((batch) => (places.length === 0 ? batch : { ...batch, places }));
    this.#client.post('addAll', located, this.#source);
  }

  /** Asks the writer, after what is postponed. */
  #ask<Method extends AskingMethod>(method: Method, ...args: ArgsOf<Method>): Promise<AnswerOf<Method>> {
    this.#quiet.come();
    return this.#client.ask(method, ...args);
  }

  counters(): ProfilerCounters {
    return {
      ...this.#client.counts(),
      open: this.#recorder.openCount,
      sampledOut: this.#sampledOut + this.#recorder.sampledOut,
      recordingMs: this.#recorder.spentMs,
      failures: this.#failures.count,
    };
  }

  async flush(): Promise<void> {
    this.#buffer.flush();
    await this.#ask('flush');
  }

  async purge(origin: RecordOrigin): Promise<void> {
    this.#buffer.flush();
    await this.#ask('update', { origin }, { remove: true });
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    for (const section of this.#sections) if ('definition' in section) section.close?.();
    this.#recorder.abandon();
    this.#buffer.flush();
    this.#quiet.come({ isLast: true });
    this.#buffer.close();
    await this.#client.release(this.#source);
    // Until here, a second signal may end the process.
    this.#unwatchEnd();
    this.#processSampler.stop();
  }

  /** Called when the process ends without `close`, for example by an uncaught error, whose request matters most. */
  #saveNow({ isLast }: { readonly isLast: boolean }): void {
    if (isLast) this.#recorder.abandon();
    this.#buffer.flush();
    this.#quiet.come({ isLast });
    this.#client.saveNow({ isLast });
  }

  #addLate(id: number, late: Amendments): void {
    this.#buffer.flush();
    this.#quiet.postpone(() => this.#client.post('addLate', id, late));
  }

  #guard<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      this.#failures.note(error);
      return undefined;
    }
  }

  /** Store failures are already reported elsewhere. */
  #readingFailed(error: unknown): void {
    if (this.state().status === 'ready') this.#failures.note(error);
  }
}
