import type { ControllerNote } from '../model/recording.js';
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

/** A record whose controller is located when its batch is sent to the writer. */
export interface Unlocated {
  readonly id: number;
  readonly locate: NonNullable<ControllerNote['location']>;
}

/** Batches are handed over when one of these limits is reached. */
export interface BatchLimits {
  readonly records: number;
  readonly length: number;
  readonly delayMs: number;
  /** Delay if there is a failed request, in milliseconds. */
  readonly urgentMs: number;
}

/** A batch nearly fills a 256 KiB buffer, which is then handed over whole: see `RecordEncoder`. */
const maxRecords = 128;
const maxLength = 240 * 1024;

/**
 * Four full batches are handed over together, because each message wakes the writer's thread. They stay separate, so
 * that a queue that is full drops little at a time.
 */
export const batchLimits: BatchLimits = {
  records: 4 * maxRecords,
  length: 4 * maxLength,
  delayMs: 50,
  urgentMs: 5,
};

type Open = { -readonly [Name in Exclude<keyof Batch, 'data' | 'places'>]: Batch[Name] };

/** One origin's records that have not been handed over. */
class OpenBatches {
  readonly encoder = new RecordEncoder();
  /** The batch to which records are added. */
  open: Open | undefined;
  full: Batch[] = [];
  unlocated: Unlocated[] = [];
  #fullRecords = 0;
  #fullLength = 0;

  get records(): number {
    return this.#fullRecords + (this.open?.records ?? 0);
  }

  get length(): number {
    return this.#fullLength + this.encoder.length;
  }

  close(): void {
    const { open, encoder } = this;
    if (open === undefined) return;
    this.open = undefined;
    const data = encoder.take();
    this.#fullRecords += open.records;
    this.#fullLength += data.length;
    this.full.push({ ...open, data });
  }

  take(): { readonly batches: readonly Batch[]; readonly unlocated: readonly Unlocated[] } {
    this.close();
    const { full: batches, unlocated } = this;
    [this.full, this.unlocated] = [[], []];
    this.#fullRecords = this.#fullLength = 0;
    return { batches, unlocated };
  }
}

/** Buffers encoded records and hands them over to the writer in batches. */
export class BatchBuffer {
  readonly #limits: BatchLimits;
  readonly #handOver: (batches: readonly Batch[], unlocated: readonly Unlocated[]) => void;
  readonly #flushLater: () => void;
  readonly #batches: { readonly [Origin in RecordOrigin]: OpenBatches } = {
    app: new OpenBatches(),
    profiler: new OpenBatches(),
  };
  #timer: NodeJS.Timeout | undefined;
  #isUrgent = false;
  readonly #failed: (error: unknown) => void;
  /** Number of records lost because their batches could not be handed over. */
  lost = 0;

  constructor(
    handOver: (batches: readonly Batch[], unlocated: readonly Unlocated[]) => void,
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
      locate,
    }: {
      readonly hasFailed: boolean;
      readonly wasSlow: boolean;
      readonly sample: ProcessSample;
      readonly begun: number;
      /** Finds the record's controller later. */
      readonly locate?: Unlocated['locate'] | undefined;
    },
  ): number {
    const { id, origin } = record;
    const batches = this.#batches[origin];
    batches.encoder.add(record);
    const open = (batches.open ??= emptyBatch(origin, sample));
    const spentMs = performance.now() - begun;
    open.records++;
    open.spentMs += spentMs;
    open.sample = sample;
    if (hasFailed) open.isUrgent = true;
    if (hasFailed || wasSlow) open.isNotable = true;
    if (locate !== undefined) batches.unlocated.push({ id, locate });
    if (id < open.least) open.least = id;
    if (id > open.greatest) open.greatest = id;
    const { records, length } = this.#limits;
    const isFull = open.records >= maxRecords || batches.encoder.length >= maxLength;
    if (batches.records >= records || batches.length >= length || (isFull && open.isUrgent)) {
      this.#take(origin);
    } else {
      if (isFull) batches.close();
      this.#flushSoon(open);
    }
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
    return this.#batches.app.records + this.#batches.profiler.records;
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
    const { records } = this.#batches[origin];
    if (records === 0) return;
    try {
      const { batches, unlocated } = this.#batches[origin].take();
      this.#handOver(batches, unlocated);
    } catch (error) {
      this.lost += records;
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
