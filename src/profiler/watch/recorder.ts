import type { HttpRequest, HttpResponse, SentResponse } from '#http';
import { sectionFormOf, type SectionForm } from '../form/sections.js';
import { SegmentWriter, type SegmentParts } from '../form/segment-writer.js';
import { collectedName, columnsWith } from '../form/summary-columns.js';
import type { Collector } from '../model/collector.js';
import { guardTimer } from '../model/guard-timer.js';
import type { ProfileRecord, RecordBucket } from '../model/profile-record.js';
import type { Segment } from '../model/profile-store.js';
import { type Closing, closeRecording } from './close-recording.js';
import { OpenRecordings } from './open-recordings.js';
import type { ProcessSample } from './process-sampler.js';
import { type RecordingServices, RequestRecording } from './request-recording.js';

/** When records are handed over: whichever comes first. */
export interface BatchLimits {
  readonly records: number;
  /** Bytes, roughly. */
  readonly weight: number;
  readonly delayMs: number;
}

/** What a recorder needs beside what its recordings do. */
export interface RecorderPorts {
  readonly collectors: readonly Collector[];
  readonly batch: BatchLimits;
  /** Settings of the process. */
  readonly config: ProfileRecord['config'];
  /** A fresh number and its token. */
  nextName(): { readonly key: number; readonly token: string };
  sample(): ProcessSample;
  handOver(segment: Segment): void;
}

const mostOpen = 20_000;
const nothingSent: SentResponse = { status: 0, headers: [], bodyBytes: 0, completed: false };

/** Opens recordings, and writes each down when it is closed. */
export class Recorder {
  readonly #open = new OpenRecordings();
  readonly #services: RecordingServices;
  readonly #ports: RecorderPorts;
  readonly #parts: SegmentParts;
  readonly #collected: Closing['collected'];
  readonly #forms: ReadonlyMap<Collector, SectionForm>;
  readonly #segments = new Map<RecordBucket, SegmentWriter>();
  #timer: NodeJS.Timeout | undefined;
  #sequence = 0;
  #handedOver = 0;
  made = 0;
  unrecordable = 0;

  constructor(services: RecordingServices, ports: RecorderPorts) {
    this.#services = services;
    this.#ports = ports;
    const { collectors, config } = ports;
    const parts = collectors.flatMap(({ name, part }) => (part === undefined ? [] : [[name, part] as const]));
    this.#parts = { columns: columnsWith(parts), config, failed: services.failed };
    this.#collected = parts.flatMap(([section, { summary = {} }]) =>
      Object.entries(summary).map(([name, { of }]) => ({
        section,
        column: collectedName(section, name),
        of,
      })),
    );
    this.#forms = new Map(collectors.map((one) => [one, sectionFormOf(one.part?.form ?? 'value')]));
  }

  /** Records that were not handed over yet. */
  get waiting(): number {
    let waiting = 0;
    for (const { keys } of this.#segments.values()) waiting += keys.length;
    return waiting;
  }

  begin(request: HttpRequest, bucket: RecordBucket, parent: RequestRecording | undefined): RequestRecording {
    const { key, token } = this.#ports.nextName();
    const identity = { key, token, bucket, parent: parent?.token ?? null };
    const recording = new RequestRecording(identity, request, this.#services);
    parent?.child(token);
    this.#open.add(recording);
    if (this.#open.size > mostOpen) this.#closeOldest();
    return recording;
  }

  /** Closes a recording; `sent` undefined where nothing has left. */
  finish(
    recording: RequestRecording,
    response: HttpResponse | undefined,
    sent: SentResponse | undefined,
  ): void {
    if (recording.isClosed) return;
    const end = recording.spans.now();
    const begun = performance.now();
    this.made++;
    for (const collector of this.#ports.collectors) this.#collect(collector, recording);
    this.#open.remove(recording);
    recording.isClosed = true;
    try {
      this.#writeDown(recording, this.#closing({ response, sent, end }), begun);
    } catch (error) {
      this.unrecordable++;
      this.#services.failed(error);
    }
  }

  /** How many requests are under way. */
  get openCount(): number {
    return this.#open.size;
  }

  isOpen(key: number): boolean {
    return this.#open.find(key) !== undefined;
  }

  /** The recording of a request under way as it is now, in a segment of its own. */
  snapshotOf(key: number): Segment | undefined {
    const recording = this.#open.find(key);
    if (recording === undefined) return undefined;
    const segment = new SegmentWriter(recording.bucket, this.#parts);
    const end = recording.spans.now();
    const closing = this.#closing({ response: undefined, sent: undefined, end });
    segment.add(closeRecording(recording, closing), performance.now());
    return segment.seal(0);
  }

  /** Keys of the requests of a bucket that have been under way for so many milliseconds, newest first. */
  underWay(bucket: RecordBucket, { ms, limit }: { readonly ms: number; readonly limit: number }): number[] {
    const keys: number[] = [];
    const before = performance.now() - ms;
    let one = this.#open.oldest;
    for (; one !== undefined && one.startedAt <= before; one = one.newer)
      if (one.bucket === bucket) keys.push(one.key);
    return keys.slice(-limit).reverse();
  }

  /** Writes down every request under way, unfinished, and hands all over: nobody watches them any longer. */
  abandon(): void {
    for (let { oldest } = this.#open; oldest !== undefined; oldest = this.#open.oldest)
      this.finish(oldest, undefined, undefined);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.flush();
  }

  /** What is not handed over yet, as a copy in the form of a segment. */
  pending(bucket: RecordBucket): Segment | undefined {
    return this.#segments.get(bucket)?.seal(0);
  }

  /** The same where it holds the record of this key. */
  pendingOf(key: number): Segment | undefined {
    for (const segment of this.#segments.values()) if (segment.keys.includes(key)) return segment.seal(0);
    return undefined;
  }

  /** Hands over what is waiting. */
  flush(): void {
    for (const segment of this.#segments.values()) this.#handOver(segment);
  }

  #writeDown(recording: RequestRecording, closing: Closing, begun: number): void {
    const { bucket } = recording;
    let segment = this.#segments.get(bucket);
    if (segment === undefined) this.#segments.set(bucket, (segment = new SegmentWriter(bucket, this.#parts)));
    this.#timer ??= setTimeout(
      guardTimer(this.#flushLater, this.#services.failed),
      this.#ports.batch.delayMs,
    );
    segment.add(closeRecording(recording, closing), begun);
    const { records, weight } = this.#ports.batch;
    if (segment.keys.length >= records || segment.weight >= weight) this.#handOver(segment);
  }

  readonly #flushLater = (): void => {
    this.#timer = undefined;
    this.flush();
  };

  #closing(seen: Pick<Closing, 'response' | 'sent' | 'end'>): Closing {
    const { redactor, limits } = this.#services;
    const sample = this.#ports.sample();
    const { response, sent, end } = seen;
    const sequence = ++this.#sequence;
    const collected = this.#collected;
    return { response, sent, end, sequence, sample, redactor, limits, collected };
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

  /** Somebody forgets to close recordings: the oldest is taken as gone. */
  #closeOldest(): void {
    const { oldest } = this.#open;
    if (oldest !== undefined) this.finish(oldest, undefined, nothingSent);
  }

  #collect(collector: Collector, recording: RequestRecording): void {
    try {
      const data = collector.collect(recording);
      const form = this.#forms.get(collector);
      if (data === undefined || form === undefined) return;
      const { name, part } = collector;
      const isClean = part?.isClean === true;
      recording.setSection({ name, form, data: isClean ? data : recording.copied(name, data) });
    } catch (error) {
      this.#services.failed(error);
    }
  }
}
