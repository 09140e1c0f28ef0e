import type { RecordBucket } from '../model/profile-record.js';
import type { Segment } from '../model/profile-store.js';
import type { ClosedRecording } from './closed-recording.js';
import { now } from './monotonic-clock.js';
import type { RecordingShop } from './request-recording.js';
import { SegmentWriter } from './segment-writer.js';

/** When records are handed over: whichever comes first. */
export interface BatchLimits {
  readonly records: number;
  /** Bytes, roughly. */
  readonly weight: number;
  readonly delayMs: number;
}

/** Told what became of recordings. */
export interface BucketEvents {
  /** One could not be written down. */
  lost(error: unknown): void;
  /** A segment is full. */
  full(segment: SegmentWriter): void;
}

/** Recordings that are written down in one go. */
const together = 8;
/** A body above this is not held until then. */
const longestHeld = 65_536;

/**
 * The recordings of one bucket from their end to their segment. They are written down a few at a time: code that has
 * just run for another record is a little cheaper than between the code of two requests. Until then they are held by
 * reference, but for those whose content somebody else could still change.
 */
export class BucketWriter {
  readonly #bucket: RecordBucket;
  readonly #shop: RecordingShop;
  readonly #batch: BatchLimits;
  readonly #events: BucketEvents;
  #closed: ClosedRecording[] = [];
  #segment: SegmentWriter | undefined;

  constructor(bucket: RecordBucket, shop: RecordingShop, batch: BatchLimits, events: BucketEvents) {
    this.#bucket = bucket;
    this.#shop = shop;
    this.#batch = batch;
    this.#events = events;
  }

  /** Records that were not handed over yet. */
  get waiting(): number {
    return this.#closed.length + (this.#segment?.keys.length ?? 0);
  }

  add(closed: ClosedRecording): void {
    this.#closed.push(closed);
    if (this.#closed.length >= together || !canBeHeld(closed)) this.#write();
  }

  has(key: number): boolean {
    this.#write();
    return this.#segment?.keys.includes(key) === true;
  }

  /** A copy of what is waiting, in the form of a segment. */
  peek(): Segment | undefined {
    this.#write();
    return this.#segment?.seal(0);
  }

  /** Takes out what is waiting. */
  take(): SegmentWriter | undefined {
    this.#write();
    const segment = this.#segment;
    this.#segment = undefined;
    return segment;
  }

  #write(): void {
    const written = this.#closed;
    if (written.length === 0) return;
    this.#closed = [];
    let clock = now();
    for (const closed of written) {
      const segment = (this.#segment ??= new SegmentWriter(
        this.#bucket,
        this.#shop.redactor,
        this.#shop.limits,
      ));
      try {
        clock = segment.add(closed, clock);
      } catch (error) {
        this.#events.lost(error);
      }
      closed.slots.giveBack();
      if (segment.keys.length < this.#batch.records && segment.weight < this.#batch.weight) continue;
      this.#segment = undefined;
      this.#events.full(segment);
    }
  }
}

/** Whether nothing of it will change, and nothing large is held with it. */
function canBeHeld({ recording, response }: ClosedRecording): boolean {
  const body = response?.body;
  if (recording.request.readBytes !== undefined || body instanceof Uint8Array) return false;
  return typeof body !== 'string' || body.length <= longestHeld;
}
