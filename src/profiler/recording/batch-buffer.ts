import { guardTimer } from './failure-notes.js';
import type { RecordOrigin } from '../model/profile-record.js';
import { RecordEncoder } from '../encoding/record-format.js';
import type { ProcessSample, EncodedBatch, EncodedRecord } from '../encoding/encoded-record.js';

/** One origin's records, handed to the writer together. */
export interface Batch extends EncodedBatch {
  readonly origin: RecordOrigin;
  readonly records: number;
  readonly least: number;
  readonly greatest: number;
  /** Contains a failed or slow request, so it is written before other batches. */
  readonly isNotable: boolean;
  /** Contains a failed request, so it is written at once: the process may be about to end. */
  readonly isUrgent: boolean;
  /** Time spent encoding the records, in milliseconds. */
  readonly spentMs: number;
}

/** A batch is flushed when it reaches the first of these limits. */
export interface BatchLimits {
  readonly records: number;
  readonly length: number;
  readonly delayMs: number;
  /** Delay for a batch that contains a failed request, in milliseconds. */
  readonly urgentMs: number;
}

/** Nearly fills a 256 KiB buffer, which is then handed over whole: see `RecordEncoder`. */
export const batchLimits: BatchLimits = { records: 128, length: 240 * 1024, delayMs: 50, urgentMs: 5 };

type Open = { -readonly [Name in Exclude<keyof Batch, 'data'>]: Batch[Name] };

/** Buffers encoded records and flushes them to the writer in batches. */
export class BatchBuffer {
  readonly #limits: BatchLimits;
  readonly #handOver: (batch: Batch) => void;
  readonly #flushLater: () => void;
  readonly #open: { [Origin in RecordOrigin]?: Open | undefined } = {};
  readonly #raw: { readonly [Origin in RecordOrigin]: RecordEncoder } = {
    app: new RecordEncoder(),
    profiler: new RecordEncoder(),
  };
  #timer: NodeJS.Timeout | undefined;
  #isUrgent = false;
  readonly #failed: (error: unknown) => void;
  /** Number of records lost because their batch could not be handed over. */
  lost = 0;

  constructor(
    handOver: (batch: Batch) => void,
    failed: (error: unknown) => void,
    limits: Partial<BatchLimits> = {},
  ) {
    this.#handOver = handOver;
    this.#failed = failed;
    this.#limits = { ...batchLimits, ...limits };
    this.#flushLater = guardTimer(() => {
      this.#timer = undefined;
      this.flush();
    }, failed);
  }

  /**
   * Adds a record. `begun` is when its request ended, on the clock of `performance.now`. Returns the
   * milliseconds since then.
   */
  add(
    record: EncodedRecord,
    {
      hasFailed,
      wasSlow,
      sample,
      begun,
    }: {
      readonly hasFailed: boolean;
      readonly wasSlow: boolean;
      readonly sample: ProcessSample;
      readonly begun: number;
    },
  ): number {
    const { id, origin } = record;
    const raw = this.#raw[origin];
    raw.add(record);
    const open = (this.#open[origin] ??= emptyBatch(origin, sample));
    const spentMs = performance.now() - begun;
    open.records++;
    open.spentMs += spentMs;
    open.sample = sample;
    if (hasFailed) open.isUrgent = true;
    if (hasFailed || wasSlow) open.isNotable = true;
    if (id < open.least) open.least = id;
    if (id > open.greatest) open.greatest = id;
    const { records, length } = this.#limits;
    if (open.records >= records || raw.length >= length) this.#take(origin);
    else this.#flushSoon(open);
    return spentMs;
  }

  #flushSoon({ isUrgent }: Open): void {
    if (this.#timer !== undefined && isUrgent && !this.#isUrgent) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    if (this.#timer !== undefined) return;
    const { delayMs, urgentMs } = this.#limits;
    this.#isUrgent = isUrgent;
    this.#timer = setTimeout(this.#flushLater, isUrgent ? urgentMs : delayMs);
  }

  get waiting(): number {
    return (this.#open.app?.records ?? 0) + (this.#open.profiler?.records ?? 0);
  }

  flush(): void {
    this.#take('app');
    this.#take('profiler');
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #take(origin: RecordOrigin): void {
    const open = this.#open[origin];
    if (open === undefined) return;
    this.#open[origin] = undefined;
    try {
      this.#handOver({ ...open, data: this.#raw[origin].take() });
    } catch (error) {
      this.lost += open.records;
      this.#failed(error);
    }
  }
}

function emptyBatch(origin: RecordOrigin, sample: ProcessSample): Open {
  return {
    origin,
    records: 0,
    sample,
    least: Infinity,
    greatest: -1,
    isNotable: false,
    isUrgent: false,
    spentMs: 0,
  };
}
