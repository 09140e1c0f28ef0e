import { performance } from 'node:perf_hooks';
import type { HttpRequest, HttpResponse, SentResponse } from '#http';
import type { Collector } from '../model/collector.js';
import { guardTimer } from '../model/guard-timer.js';
import type { RecordBucket } from '../model/profile-record.js';
import type { Segment } from '../model/profile-store.js';
import { type BatchLimits, BucketWriter } from './bucket-writer.js';
import type { ClosedRecording } from './closed-recording.js';
import { OpenRecordings } from './open-recordings.js';
import { type RecordingShop, RequestRecording } from './request-recording.js';
import { SegmentWriter } from './segment-writer.js';
import { SpanSlots } from './span-slots.js';
import type { TokenSource } from './token-source.js';

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
  readonly #writers: Record<RecordBucket, BucketWriter>;
  #timer: NodeJS.Timeout | undefined;
  #sequence = 0;
  #segments = 0;
  made = 0;
  unrecordable = 0;

  constructor(shop: RecordingShop, world: RecorderWorld) {
    this.#shop = shop;
    this.#world = world;
    const events = {
      lost: (error: unknown): void => this.#lose(error),
      full: (segment: SegmentWriter): void => this.#handOver(segment),
    };
    this.#writers = {
      app: new BucketWriter('app', shop, world.batch, events),
      profiler: new BucketWriter('profiler', shop, world.batch, events),
    };
  }

  /** Records that were not handed over yet. */
  get waiting(): number {
    return this.#writers.app.waiting + this.#writers.profiler.waiting;
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

  /** Closes a recording; `sent` undefined where nothing has left. `follows`: its last span has ended just now. */
  finish(
    recording: RequestRecording,
    response: HttpResponse | undefined,
    sent: SentResponse | undefined,
    follows = false,
  ): void {
    const { slots } = recording;
    if (slots === undefined) return;
    const end = slots.now(follows);
    this.made++;
    for (const collector of this.#world.collectors) this.#collect(collector, recording);
    this.open.remove(recording);
    recording.slots = undefined;
    this.#writers[recording.bucket].add(this.#closed({ recording, slots, response, sent, end }));
    this.#timer ??= setTimeout(guardTimer(this.#handOverAll, this.#shop.failed), this.#world.batch.delayMs);
  }

  /** A recording as it is now, in a segment of its own. */
  snapshot(recording: RequestRecording): Segment {
    const writer = new SegmentWriter(recording.bucket, this.#shop.redactor, this.#shop.limits);
    const slots = recording.slots ?? new SpanSlots();
    const end = performance.now();
    writer.add(this.#closed({ recording, slots, response: undefined, sent: undefined, end }), end);
    return writer.seal(0);
  }

  /** Writes down every request under way, unfinished, and hands all over: nobody watches them any longer. */
  abandon(): void {
    for (let open = this.open.oldest; open !== undefined; open = this.open.oldest)
      this.finish(open, undefined, undefined);
    this.stop();
  }

  /** What is not handed over yet: a copy in the form of a segment. */
  peek(bucket: RecordBucket): Segment | undefined {
    return this.#writers[bucket].peek();
  }

  has(key: number): RecordBucket | undefined {
    if (this.#writers.app.has(key)) return 'app';
    return this.#writers.profiler.has(key) ? 'profiler' : undefined;
  }

  /** Hands over what is waiting. */
  flush(): void {
    for (const writer of [this.#writers.app, this.#writers.profiler]) {
      const segment = writer.take();
      if (segment !== undefined) this.#handOver(segment);
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.flush();
  }

  readonly #handOverAll = (): void => {
    this.#timer = undefined;
    this.flush();
  };

  #closed(seen: Pick<ClosedRecording, 'recording' | 'slots' | 'response' | 'sent' | 'end'>): ClosedRecording {
    const { json, at, epoch } = this.#world.sample();
    const { recording, slots, response, sent, end } = seen;
    return {
      recording,
      slots,
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

  #handOver(segment: SegmentWriter): void {
    const records = segment.keys.length;
    if (records === 0) return;
    try {
      this.#world.handOver(segment.seal(++this.#segments));
      segment.release();
    } catch (error) {
      this.unrecordable += records;
      this.#shop.failed(error);
    }
  }

  #lose(error: unknown): void {
    this.unrecordable++;
    this.#shop.failed(error);
  }

  #collect(collector: Collector, recording: RequestRecording): void {
    try {
      recording.section(collector.name, collector.collect(recording));
    } catch (error) {
      this.#shop.failed(error);
    }
  }
}
