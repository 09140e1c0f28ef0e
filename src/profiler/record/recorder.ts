import { performance } from 'node:perf_hooks';
import type { HttpRequest, HttpResponse, SentResponse } from '#http';
import type { Collector } from '../model/collector.js';
import type { RecordBucket } from '../model/profile-record.js';
import type { Segment } from '../model/profile-store.js';
import { OpenRecordings } from './open-recordings.js';
import { type RecordingShop, RequestRecording } from './request-recording.js';
import { SegmentWriter } from './segment-writer.js';
import type { TokenSource } from './token-source.js';

/** When records are handed over: whichever comes first. */
export interface BatchLimits {
  readonly records: number;
  /** Bytes, roughly. */
  readonly weight: number;
  readonly delayMs: number;
}

/** What a recorder needs to know of the world. */
export interface RecorderWorld {
  readonly tokens: TokenSource;
  readonly collectors: readonly Collector[];
  readonly batch: BatchLimits;
  /** Settings of the process as JSON. */
  readonly config: string;
  sample(): { readonly json: string; readonly at: number; readonly epoch: number };
  handOver(segment: Segment): void;
}

const mostOpen = 20_000;
const nothingSent: SentResponse = { status: 0, headers: [], bodyBytes: 0, completed: false };

/** Opens recordings, and writes each down when it is closed. */
export class Recorder {
  readonly open: OpenRecordings = new OpenRecordings();
  readonly #shop: RecordingShop;
  readonly #world: RecorderWorld;
  readonly #writers: Record<RecordBucket, SegmentWriter | undefined> = {
    app: undefined,
    profiler: undefined,
  };
  #timer: NodeJS.Timeout | undefined;
  #sequence = 0;
  #segments = 0;
  made = 0;
  unrecordable = 0;

  constructor(shop: RecordingShop, world: RecorderWorld) {
    this.#shop = shop;
    this.#world = world;
  }

  /** Records written down and not handed over yet. */
  get waiting(): number {
    return (this.#writers.app?.keys.length ?? 0) + (this.#writers.profiler?.keys.length ?? 0);
  }

  begin(request: HttpRequest, bucket: RecordBucket, parent: RequestRecording | undefined): RequestRecording {
    const { tokens } = this.#world;
    const key = tokens.nextKey();
    const token = tokens.codec.tokenOf(key);
    const identity = { key, token, bucket, parent: parent?.token ?? null };
    const recording = new RequestRecording(identity, request, this.#shop);
    parent?.child(token);
    this.open.add(recording);
    // Somebody forgets to close recordings: the oldest is taken as gone.
    if (this.open.size > mostOpen && this.open.oldest !== undefined)
      this.finish(this.open.oldest, undefined, nothingSent);
    return recording;
  }

  finish(recording: RequestRecording, response: HttpResponse | undefined, sent: SentResponse): void {
    this.#close(recording, response, sent);
  }

  #close(
    recording: RequestRecording,
    response: HttpResponse | undefined,
    sent: SentResponse | undefined,
  ): void {
    const { slots } = recording;
    if (slots === undefined) return;
    const end = performance.now();
    this.made++;
    try {
      for (const collector of this.#world.collectors) this.#collect(collector, recording);
      this.#write(recording, response, sent, end);
    } catch (error) {
      this.unrecordable++;
      this.#shop.failed(error);
    }
    this.open.remove(recording);
    recording.slots = undefined;
    slots.giveBack();
  }

  /** A recording as it is now, in a segment of its own. */
  snapshot(recording: RequestRecording): Segment {
    const writer = new SegmentWriter(recording.bucket, this.#shop.redactor, this.#shop.limits);
    writer.add(this.#closed(recording, undefined, undefined, performance.now()));
    return writer.seal(0);
  }

  /** Writes down every request under way, unfinished, and hands all over: nobody watches them any longer. */
  abandon(): void {
    for (let open = this.open.oldest; open !== undefined; open = this.open.oldest)
      this.#close(open, undefined, undefined);
    this.stop();
  }

  /** What was written down and not handed over: a copy in the form of segments, newest first. */
  peek(bucket: RecordBucket): Segment | undefined {
    return this.#writers[bucket]?.seal(0);
  }

  has(key: number): RecordBucket | undefined {
    if (this.#writers.app?.keys.includes(key) === true) return 'app';
    return this.#writers.profiler?.keys.includes(key) === true ? 'profiler' : undefined;
  }

  /** Hands over what is written down. */
  flush(): void {
    this.#handOver('app');
    this.#handOver('profiler');
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.flush();
  }

  #write(
    recording: RequestRecording,
    response: HttpResponse | undefined,
    sent: SentResponse | undefined,
    end: number,
  ): void {
    const { bucket } = recording;
    const { batch } = this.#world;
    const writer = (this.#writers[bucket] ??= new SegmentWriter(
      bucket,
      this.#shop.redactor,
      this.#shop.limits,
    ));
    writer.add(this.#closed(recording, response, sent, end));
    if (writer.keys.length >= batch.records || writer.weight >= batch.weight) this.#handOver(bucket);
    else
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.flush();
      }, batch.delayMs);
  }

  #closed(
    recording: RequestRecording,
    response: HttpResponse | undefined,
    sent: SentResponse | undefined,
    end: number,
  ): Parameters<SegmentWriter['add']>[0] {
    const { json, at, epoch } = this.#world.sample();
    return {
      recording,
      response,
      sent,
      sequence: ++this.#sequence,
      startedAt: recording.start + epoch,
      end,
      runtime: json,
      sampledAt: at,
      config: this.#world.config,
    };
  }

  #handOver(bucket: RecordBucket): void {
    const writer = this.#writers[bucket];
    if (writer === undefined || writer.keys.length === 0) return;
    this.#writers[bucket] = undefined;
    this.#world.handOver(writer.seal(++this.#segments));
  }

  #collect(collector: Collector, recording: RequestRecording): void {
    try {
      recording.section(collector.name, collector.collect(recording));
    } catch (error) {
      this.#shop.failed(error);
    }
  }
}
