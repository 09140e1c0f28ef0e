import type { RecordBucket, ProfileRecord } from '../model/profile-record.js';
import { recordSchema } from '../model/profile-record.js';
import type { Segment } from '../model/profile-store.js';
import { PackWriter } from '../pack/pack-writer.js';
import { writeTerms } from '../pack/values.js';
import { costKind, type RecordInput, recordKind } from './record-form.js';
import { type SectionInput, writeSections } from './sections.js';
import type { SummaryColumn, SummaryInput } from './summary-columns.js';
import { SummaryWriter } from './summary-writer.js';

/** A closed recording in the form in which it is written. */
export interface WrittenRecord {
  readonly key: number;
  readonly summary: SummaryInput;
  readonly record: RecordInput;
  readonly sections: readonly SectionInput[];
}

/** Data shared by all segments of a process. */
export interface SegmentParts {
  readonly columns: readonly SummaryColumn[];
  /** Settings of the process, which are part of every record. */
  readonly config: ProfileRecord['config'];
  /** Called if a section cannot be written. */
  readonly failed: (error: unknown) => void;
}

/** Builds one segment. */
export class SegmentWriter {
  readonly bucket: RecordBucket;
  readonly keys: number[] = [];
  readonly #parts: SegmentParts;
  readonly #rows: SummaryWriter;
  readonly #records = new PackWriter();
  #weight = 0;
  #startedAt = Number.POSITIVE_INFINITY;
  #closedAt = 0;

  constructor(bucket: RecordBucket, parts: SegmentParts) {
    this.bucket = bucket;
    this.#parts = parts;
    this.#rows = new SummaryWriter(parts.columns);
    this.#records.number(recordSchema);
    writeTerms(this.#records, parts.config);
    this.#records.end();
  }

  /** Approximate number of bytes so far. */
  get weight(): number {
    return this.#weight;
  }

  /**
   * Adds a record, completely or not at all; throws if it cannot be written. `begun` is the time of `performance.now` when
   * its serialisation began.
   */
  add({ key, summary, record, sections }: WrittenRecord, begun: number): void {
    const before = this.#records.length;
    const { startedAt, durationMs, target } = summary;
    try {
      recordKind.write(this.#records, record);
      writeSections(this.#records, sections, this.#parts.failed);
      const bytes = this.#records.length - before;
      costKind.write(this.#records, { recordMs: performance.now() - begun, bytes });
      this.#records.end();
    } catch (error) {
      this.#records.undo();
      throw error;
    }
    this.#rows.add(summary);
    this.keys.push(key);
    this.#weight += this.#records.length - before + 100 + String(target).length;
    this.#startedAt = Math.min(this.#startedAt, Number(startedAt));
    this.#closedAt = Math.max(this.#closedAt, Number(startedAt) + Number(durationMs));
  }

  /** Returns the records added so far as a segment for a store. More records can be added afterwards. */
  seal(number: number): Segment {
    return {
      number,
      bucket: this.bucket,
      keys: [...this.keys],
      startedAt: this.#startedAt,
      closedAt: this.#closedAt,
      ...this.#rows.seal(this.bucket),
      body: this.#records.seal(),
    };
  }
}
