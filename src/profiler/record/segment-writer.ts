import type { Redactor } from '#dump';
import type { RecordBucket } from '../model/profile-record.js';
import type { Segment } from '../model/profile-store.js';
import type { ClosedRecording } from './closed-recording.js';
import { now } from './monotonic-clock.js';
import { PackWriter } from './pack-writer.js';
import type { RecorderLimits } from './recorder-limits.js';
import { writeRow } from './row.js';
import { SegmentFacts } from './segment-facts.js';
import { RecordWriter } from './write-record.js';
import { toTicks } from './ticks.js';

/** One segment while it is being filled. */
export class SegmentWriter {
  readonly bucket: RecordBucket;
  readonly keys: number[] = [];
  readonly #redactor: Redactor;
  readonly #rows = new PackWriter();
  readonly #records = new PackWriter();
  readonly #writer: RecordWriter;
  readonly #facts = new SegmentFacts();
  #weight = 0;
  #startedAt = Number.POSITIVE_INFINITY;
  #closedAt = 0;

  constructor(bucket: RecordBucket, redactor: Redactor, limits: RecorderLimits) {
    this.bucket = bucket;
    this.#redactor = redactor;
    this.#writer = new RecordWriter(this.#records, redactor, limits);
  }

  /** Bytes so far, roughly. */
  get weight(): number {
    return this.#weight;
  }

  /** Gives the memory back, once it was sealed for the last time. */
  release(): void {
    this.#rows.release();
    this.#records.release();
  }

  /**
   * Writes a record down, whole or not at all, with the time that took since `begun`; gives the time when it was done.
   * Throws what a hostile value made it throw.
   */
  add(closed: ClosedRecording, begun: number): number {
    let done = begun;
    this.#rows.begin();
    this.#records.begin();
    try {
      writeRow(this.#rows, closed, { redactor: this.#redactor, facts: this.#facts });
      this.#writer.write(closed);
      done = now();
      this.#records.number(toTicks(done - begun));
      const weight = this.#rows.weight + this.#records.weight;
      this.#records.number(weight - this.#weight);
      this.#weight = weight;
      this.keys.push(closed.recording.key);
    } catch (error) {
      this.#rows.undo();
      this.#records.undo();
      throw error;
    }
    this.#startedAt = Math.min(this.#startedAt, closed.startedAt);
    this.#closedAt = Math.max(this.#closedAt, closed.startedAt + closed.end - closed.recording.start);
    return done;
  }

  /** What is written by now, as a store takes it. */
  seal(number: number): Segment {
    return {
      number,
      bucket: this.bucket,
      keys: [...this.keys],
      startedAt: this.#startedAt,
      closedAt: this.#closedAt,
      facts: this.#facts.render(),
      directory: this.#rows.seal(),
      body: this.#records.seal(),
    };
  }
}
