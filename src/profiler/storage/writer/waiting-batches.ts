import type { RecordOrigin } from '../../model/profile-record.js';
import type { FinishedRecord } from '../tables/record-store.js';
import type { Retention } from '../tables/retention.js';
import type { Batch } from '../../recording/batch-buffer.js';
import type { WriterSource } from './writer-options.js';

export interface WaitingBatch {
  readonly batch: Batch;
  readonly source: WriterSource;
  /** Sequence number of arrival. */
  readonly arrival: number;
  /** Set if already converted, for a reader or by a failed write. */
  finished?: readonly FinishedRecord[];
}

/** Why a batch was removed unwritten: the retention would remove it, or the queue is full. */
export type Removal = 'pruned' | 'dropped';

/** Maximum number of records written together. */
const maxTogether = 64;
/**
 * Maximum bytes in waiting batches, so that the process grows by less than 64 MiB; 10,000 records of short requests take 20 MiB.
 */
const maxLength = 28 * 1024 * 1024;

/** Batches waiting to be written, failed or slow requests first. Bounded by the retention and by size. */
export class WaitingBatches {
  readonly #retention: Pick<Retention, 'records' | 'profilerRecords'>;
  readonly #removed: (waiting: WaitingBatch, removal: Removal) => void;
  #all: WaitingBatch[] = [];
  #urgent = 0;
  #notable = 0;
  readonly records: Record<RecordOrigin, number> = { app: 0, profiler: 0 };
  #length = 0;

  constructor(
    retention: Pick<Retention, 'records' | 'profilerRecords'>,
    removed: (waiting: WaitingBatch, removal: Removal) => void,
  ) {
    this.#retention = retention;
    this.#removed = removed;
  }

  get count(): number {
    return this.records.app + this.records.profiler;
  }

  /** Whether a batch with a failed request is waiting. */
  get hasUrgent(): boolean {
    return this.#urgent > 0;
  }

  /** Lowest arrival number among the waiting batches; infinite if there are none. */
  get firstArrival(): number {
    return this.#all[0]?.arrival ?? Infinity;
  }

  get latestFirst(): readonly WaitingBatch[] {
    return this.#all.toReversed();
  }

  add(waiting: WaitingBatch): void {
    this.#all.push(waiting);
    this.#count(waiting, 1);
    this.#trim(waiting.batch.origin);
  }

  /**
   * Takes the next batches: all notable ones together, so that none waits for several writes, or else the oldest one.
   * `isAsked` means that a reader waits for everything that has arrived. Other batches then go with the notable ones,
   * which may keep coming.
   */
  take({ isAsked }: { readonly isAsked: boolean }): readonly WaitingBatch[] {
    const others = this.#all.filter((one) => !isNotable(one));
    const taken = firstOf(this.#notable > 0 ? this.#all.filter(isNotable) : [], maxTogether);
    if (isAsked) taken.push(...firstOf(others, maxTogether));
    else if (taken.length === 0) taken.push(...firstOf(others, 1));
    const gone = new Set(taken);
    this.#all = this.#all.filter((one) => !gone.has(one));
    for (const one of taken) this.#count(one, -1);
    return taken;
  }

  putBack(taken: readonly WaitingBatch[]): void {
    this.#all = [...taken, ...this.#all].sort((a, b) => a.arrival - b.arrival);
    for (const one of taken) this.#count(one, 1);
  }

  #count({ batch }: WaitingBatch, sign: 1 | -1): void {
    this.records[batch.origin] += sign * batch.records;
    this.#length += sign * batch.data.buffer.byteLength;
    if (batch.isUrgent) this.#urgent += sign;
    if (batch.isNotable) this.#notable += sign;
  }

  /** Removes the oldest batches that the retention would remove anyway, and batches that exceed the size limit. */
  #trim(origin: RecordOrigin): void {
    const { records, profilerRecords } = this.#retention;
    const most = origin === 'app' ? records : profilerRecords;
    while (this.#removeOldest(({ batch }) => batch.origin === origin, 'pruned', most));
    while (this.#length > maxLength && this.#removeOldest(() => true, 'dropped', 0));
  }

  /** Removes the oldest batch that passes, if at least `least` records from its origin remain. */
  #removeOldest(passes: (waiting: WaitingBatch) => boolean, removal: Removal, least: number): boolean {
    const oldest = this.#all.find((one) => !isNotable(one) && passes(one)) ?? this.#all.find(passes);
    if (oldest === undefined || this.records[oldest.batch.origin] - oldest.batch.records < least)
      return false;
    this.#all.splice(this.#all.indexOf(oldest), 1);
    this.#count(oldest, -1);
    this.#removed(oldest, removal);
    return true;
  }
}

function isNotable({ batch }: WaitingBatch): boolean {
  return batch.isNotable;
}

/** Returns the first batches that have at most `maxRecords` records together, but at least one batch. */
function firstOf(batches: readonly WaitingBatch[], maxRecords: number): WaitingBatch[] {
  let records = 0;
  const end = batches.findIndex(({ batch }, at) => (records += batch.records) > maxRecords && at > 0);
  return batches.slice(0, end === -1 ? batches.length : end);
}
