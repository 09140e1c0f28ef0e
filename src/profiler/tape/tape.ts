import { serialize } from 'node:v8';
import { guardTimer } from '../model/guard-timer.js';
import type { RecordBucket } from '../model/profile-record.js';
import type { ProcessSample, RawLines } from '../record/raw-record.js';

/** Records of one bucket, which are handed to the writer together. */
export interface Batch extends RawLines {
  readonly bucket: RecordBucket;
  readonly records: number;
  /** Smallest and greatest id of the records. */
  readonly least: number;
  readonly greatest: number;
  /** A request of it failed or was slow, so that it is written before others. */
  readonly isUrgent: boolean;
  /** Milliseconds that writing the lines took. */
  readonly spentMs: number;
}

/** Limits of a batch. It is handed over when the first of them is reached. */
export interface BatchLimits {
  readonly records: number;
  /** Characters of its JSON. */
  readonly length: number;
  readonly delayMs: number;
  /** Delay of a batch with a request that failed or was slow. */
  readonly urgentMs: number;
}

export const batchLimits: BatchLimits = { records: 64, length: 512 * 1024, delayMs: 50, urgentMs: 5 };

/** A batch that is not handed over yet: its lines, and their characters. */
type Open = { -readonly [Name in Exclude<keyof Batch, 'data'>]: Batch[Name] } & {
  readonly lines: string[];
  length: number;
};

/** What closed recordings wrote down, until it is handed over in batches. */
export class Tape {
  readonly #limits: BatchLimits;
  readonly #handOver: (batch: Batch) => void;
  readonly #flushLater: () => void;
  readonly #open: { [Bucket in RecordBucket]: Open };
  #timer: NodeJS.Timeout | undefined;
  #isUrgent = false;
  readonly #failed: (error: unknown) => void;
  /** Number of records that could not be handed over. */
  lost = 0;

  constructor(
    handOver: (batch: Batch) => void,
    failed: (error: unknown) => void,
    limits: Partial<BatchLimits> = {},
  ) {
    this.#handOver = handOver;
    this.#failed = failed;
    this.#limits = { ...batchLimits, ...limits };
    this.#open = { app: emptyBatch('app'), profiler: emptyBatch('profiler') };
    this.#flushLater = guardTimer(() => {
      this.#timer = undefined;
      this.flush();
    }, failed);
  }

  add(bucket: RecordBucket, id: number, line: string): void {
    const open = this.#open[bucket];
    open.lines.push(line);
    open.length += line.length;
    open.records++;
    if (id < open.least) open.least = id;
    if (id > open.greatest) open.greatest = id;
    const { records, length, delayMs, urgentMs } = this.#limits;
    if (open.records >= records || open.length >= length) return this.#take(bucket);
    const { isUrgent } = open;
    if (this.#timer !== undefined && isUrgent && !this.#isUrgent) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    if (this.#timer !== undefined) return;
    this.#isUrgent = isUrgent;
    this.#timer = setTimeout(this.#flushLater, isUrgent ? urgentMs : delayMs);
  }

  /** Number of records that are not handed over yet. */
  get waiting(): number {
    return this.#open.app.records + this.#open.profiler.records;
  }

  /** Notes about the next record: whether its request failed or was slow, the milliseconds that writing it took, the process. */
  note(
    bucket: RecordBucket,
    { isUrgent, spentMs, sample }: Pick<Batch, 'isUrgent' | 'spentMs' | 'sample'>,
  ): void {
    const open = this.#open[bucket];
    if (isUrgent) open.isUrgent = true;
    open.spentMs += spentMs;
    open.sample = sample;
  }

  /** Hands over everything. */
  flush(): void {
    this.#take('app');
    this.#take('profiler');
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #take(bucket: RecordBucket): void {
    const open = this.#open[bucket];
    if (open.records === 0) return;
    this.#open[bucket] = emptyBatch(bucket);
    const { lines, length: _, ...rest } = open;
    try {
      this.#handOver({ ...rest, data: serialize(lines) });
    } catch (error) {
      this.lost += rest.records;
      this.#failed(error);
    }
  }
}

const noSample: ProcessSample = {
  runtime: {
    memory: { rss: 0, heapUsed: 0, heapTotal: 0, external: 0 },
    eventLoop: { meanDelayMs: 0, maxDelayMs: 0, utilization: 0 },
  },
  at: 0,
  epoch: 0,
};

function emptyBatch(bucket: RecordBucket): Open {
  return {
    bucket,
    records: 0,
    lines: [],
    length: 0,
    sample: noSample,
    least: Number.POSITIVE_INFINITY,
    greatest: -1,
    isUrgent: false,
    spentMs: 0,
  };
}
