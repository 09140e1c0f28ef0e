import type { HttpRequest, HttpResponse, SentResponse } from '#http';
import type { SectionInput } from '../form/sections.js';
import { SegmentWriter, type SegmentParts } from '../form/segment-writer.js';
import { columnsWith, type ProcessOrigin } from '../form/summary-columns.js';
import { fromTicks } from '../form/ticks.js';
import type { Collector, RequestEnd } from '../model/collector.js';
import { guardTimer } from '../model/guard-timer.js';
import type { ProfileRecord, RecordBucket } from '../model/profile-record.js';
import type { Segment } from '../model/profile-store.js';
import type { TimelineEntry } from '../model/time-breakdown.js';
import { VisitorThreads } from '../redact/visitor-threads.js';
import { type Closing, closeRecording, type ClosingServices, declareSection } from './close-recording.js';
import type { BeginOptions } from '../model/profiler.js';
import type { Recording } from '../model/recording.js';
import { CpuProfiler } from './cpu/cpu-profiler.js';
import { OpenRecordings } from './open-recordings.js';
import type { ProcessSample } from './process-sampler.js';
import { type RecordingServices, RequestRecording } from './request-recording.js';
import { isProfiled, type Sampler } from './sampling.js';

/** Limits of a batch. Records are handed over when the first of them is reached. */
export interface BatchLimits {
  readonly records: number;
  /** Approximate number of bytes. */
  readonly weight: number;
  readonly delayMs: number;
}

/** Dependencies of a recorder in addition to those of its recordings. */
export interface RecorderPorts {
  readonly collectors: readonly Collector[];
  readonly batch: BatchLimits;
  /** Settings of the process. */
  readonly config: ProfileRecord['config'];
  readonly origin: ProcessOrigin;
  /** Returns a fresh key and its token. */
  nextName(): { readonly key: number; readonly token: string };
  sample(): ProcessSample;
  handOver(segment: Segment): void;
  /** Decides whether recordings on trial are kept. */
  readonly sampler: Sampler;
}

const maxOpen = 20_000;
const noRecords: readonly never[] = [];
/** Number of closed recordings that are serialised together: as a batch this takes half the time. */
const maxPending = 16;
/** Bytes of bodies that closed recordings may hold before they are serialised. */
const maxPendingWeight = 524_288;
const nothingSent: SentResponse = { status: 0, headers: [], bodyBytes: 0, completed: false };

/** A closed recording that is not serialised yet. It no longer changes. */
interface Closed {
  readonly recording: RequestRecording;
  readonly closing: Closing;
}

/** Opens and closes recordings, and serialises the closed ones in batches. */
export class Recorder {
  readonly #open = new OpenRecordings();
  readonly #cpu = new CpuProfiler();
  readonly #services: RecordingServices;
  readonly #ports: RecorderPorts;
  readonly #parts: SegmentParts;
  readonly #closingServices: ClosingServices;
  readonly #declared: ReadonlyMap<Collector, Omit<SectionInput, 'data'>>;
  readonly #closed: Closed[] = [];
  /** Bytes of the bodies of `#closed`. */
  #waitingBytes = 0;
  readonly #segments = new Map<RecordBucket, SegmentWriter>();
  #timer: NodeJS.Timeout | undefined;
  readonly #flushLater: () => void;
  #sequence = 0;
  #handedOver = 0;
  made = 0;
  spentMs = 0;
  unrecordable = 0;
  sampledOut = 0;

  constructor(services: RecordingServices, ports: RecorderPorts) {
    this.#services = services;
    this.#ports = ports;
    this.#flushLater = guardTimer(() => {
      this.#timer = undefined;
      this.flush();
    }, services.failed);
    const { collectors, config } = ports;
    const parts = collectors.flatMap(({ name, part }) => (part === undefined ? [] : [[name, part] as const]));
    this.#parts = { columns: columnsWith(parts, ports.origin), config, failed: services.failed };
    this.#declared = new Map(collectors.map((one) => [one, declareSection(one, services.failed)]));
    this.#closingServices = { ...services, visitors: new VisitorThreads() };
  }

  /** Number of closed records that were not handed over yet. */
  get waiting(): number {
    return [...this.#segments.values()].reduce((sum, { keys }) => sum + keys.length, this.#closed.length);
  }

  begin(request: HttpRequest, options: BeginOptions): RequestRecording {
    const { bucket = 'app', parent, isOnTrial = false } = options;
    const { key, token } = this.#ports.nextName();
    this.#cpu.begin(token, request.scope, { isWanted: isProfiled(request, options) });
    const identity = { key, token, bucket, parent: parent?.token ?? null, isOnTrial };
    const recording = new RequestRecording(identity, request, this.#services);
    if (!isOnTrial && parent instanceof RequestRecording) parent.child(token);
    this.#open.add(recording);
    if (this.#open.size > maxOpen) this.#closeOldest();
    return recording;
  }

  /** Closes a recording of this recorder; `sent` is undefined if nothing was sent. */
  readonly finish = (
    recording: Recording,
    response: HttpResponse | undefined,
    sent: SentResponse | undefined,
  ): void => {
    if (!(recording instanceof RequestRecording) || recording.isClosed) return;
    if (recording.isOnTrial && !this.#isWorthKeeping(recording, sent)) {
      this.#discard(recording);
      return;
    }
    const end = recording.spans.now();
    this.#cpu.end(recording.token);
    this.made++;
    let reported: readonly TimelineEntry[] = noRecords;
    const over = this.#endOf(recording, end, sent);
    for (const collector of this.#ports.collectors) {
      const entries = this.#collect(collector, recording, over);
      if (entries.length > 0) reported = [...reported, ...entries];
    }
    this.#open.remove(recording);
    recording.close();
    const sample = this.#ports.sample();
    this.#closed.push({
      recording,
      closing: { response, sent, end, reported, sample, sequence: ++this.#sequence },
    });
    this.#waitingBytes += (sent?.bodyBytes ?? 0) + (recording.request.readBytes?.byteLength ?? 0);
    if (this.#closed.length >= maxPending || this.#waitingBytes > maxPendingWeight) this.#serialiseClosed();
    else this.#timer ??= setTimeout(this.#flushLater, this.#ports.batch.delayMs);
  };

  /** Decides about a recording on trial. A response below 400 with an exception also failed: its stream broke, say. */
  #isWorthKeeping({ exception, startedAt }: RequestRecording, sent: SentResponse | undefined): boolean {
    const { status } = sent ?? nothingSent;
    const failed = status >= 500 || (exception !== undefined && status < 400);
    return this.#ports.sampler.keeps({ failed, durationMs: performance.now() - startedAt });
  }

  #discard(recording: RequestRecording): void {
    this.sampledOut++;
    this.#open.remove(recording);
    recording.isClosed = true;
  }

  /** Number of in-flight requests. */
  get openCount(): number {
    return this.#open.size;
  }

  isOpen(key: number): boolean {
    return this.#open.find(key) !== undefined;
  }

  /** Returns the current state of an in-flight request, including its collectors' data, as a segment with one record. */
  snapshotOf(key: number): Segment | undefined {
    const recording = this.#open.find(key);
    if (recording === undefined) return undefined;
    const segment = new SegmentWriter(recording.bucket, this.#parts);
    const { sections, limits } = recording; // restored below: what collectors add now belongs to the snapshot only
    recording.sections = sections && [...sections];
    recording.limits = limits && [...limits];
    try {
      for (const collector of this.#ports.collectors) this.#collect(collector, recording);
      const seen = { response: undefined, sent: undefined, end: recording.spans.now(), reported: noRecords };
      const closing = { ...seen, sample: this.#ports.sample(), sequence: ++this.#sequence };
      segment.add(closeRecording(recording, closing, this.#closingServices), performance.now());
    } finally {
      Object.assign(recording, { sections, limits });
    }
    return segment.seal(0);
  }

  /** Returns the keys of the requests of a bucket that have been in flight for at least `ms` milliseconds, newest first. */
  inFlight(bucket: RecordBucket, { ms, limit }: { readonly ms: number; readonly limit: number }): number[] {
    const keys: number[] = [];
    const before = performance.now() - ms;
    let one = this.#open.oldest;
    for (; one !== undefined && one.startedAt <= before; one = one.newer)
      if (one.bucket === bucket) keys.push(one.key);
    return keys.slice(-limit).reverse();
  }

  /** Closes every in-flight request as unfinished, and hands all records over. */
  abandon(): void {
    for (let { oldest } = this.#open; oldest !== undefined; oldest = this.#open.oldest)
      this.finish(oldest, undefined, undefined);
    this.flush();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Returns a copy of the records of a bucket that are not handed over yet, as a segment. */
  pending(bucket: RecordBucket): Segment | undefined {
    this.#serialiseClosed();
    return this.#segments.get(bucket)?.seal(0);
  }

  /** Returns a copy of the pending segment that contains the record with this key. */
  pendingOf(key: number): Segment | undefined {
    this.#serialiseClosed();
    for (const segment of this.#segments.values()) if (segment.keys.includes(key)) return segment.seal(0);
    return undefined;
  }

  /** Hands over all closed records. */
  flush(): void {
    this.#serialiseClosed();
    for (const segment of this.#segments.values()) this.#handOver(segment);
  }

  #serialiseClosed(): void {
    this.#waitingBytes = 0;
    for (let one = this.#closed.shift(); one !== undefined; one = this.#closed.shift()) {
      try {
        this.#serialise(one);
      } catch (error) {
        this.unrecordable++;
        this.#services.failed(error);
      }
    }
  }

  #serialise({ recording, closing }: Closed): void {
    const begun = performance.now();
    const { bucket } = recording;
    let segment = this.#segments.get(bucket);
    if (segment === undefined) this.#segments.set(bucket, (segment = new SegmentWriter(bucket, this.#parts)));
    this.#timer ??= setTimeout(this.#flushLater, this.#ports.batch.delayMs);
    segment.add(closeRecording(recording, closing, this.#closingServices), begun);
    this.spentMs += performance.now() - begun;
    const { records, weight } = this.#ports.batch;
    if (segment.keys.length >= records || segment.weight >= weight) this.#handOver(segment);
  }

  #handOver(segment: SegmentWriter): void {
    this.#segments.delete(segment.bucket);
    const records = segment.keys.length;
    if (records === 0) return;
    try {
      this.#ports.handOver(segment.seal(++this.#handedOver));
    } catch (error) {
      this.unrecordable += records;
      this.#services.failed(error);
    }
  }

  /** Called if there are too many open recordings because someone does not close them: the oldest one is given up. */
  #closeOldest(): void {
    const { oldest } = this.#open;
    if (oldest !== undefined) this.finish(oldest, undefined, nothingSent);
  }

  #endOf(recording: RequestRecording, end: number, sent: SentResponse | undefined): RequestEnd {
    return {
      route: recording.routeNote?.name ?? null,
      durationMs: fromTicks(end),
      bytes: sent?.bodyBytes ?? 0,
      number(column) {
        for (const { numbers, data } of recording.sections ?? noRecords)
          for (const number of numbers ?? noRecords) if (number.column === column) return number.of(data);
        return 0;
      },
    };
  }

  /** Adds a collector's section to the recording, and returns the time spans that the section reports. */
  #collect(collector: Collector, recording: RequestRecording, end?: RequestEnd): readonly TimelineEntry[] {
    try {
      const data = collector.collect(recording, end);
      const declared = this.#declared.get(collector);
      if (data === undefined || declared === undefined) return noRecords;
      const { name, part } = collector;
      const isClean = part?.isClean === true;
      const { form, numbers } = declared; // a spread made recording a request slower by a fifth
      recording.setSection({ name, form, data: isClean ? data : recording.copied(name, data), numbers });
      return part?.timeline?.(data) ?? noRecords;
    } catch (error) {
      this.#services.failed(error);
      return noRecords;
    }
  }
}
