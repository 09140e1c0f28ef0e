import type { ProcessCounts, ProfileStore, Segment, StoreTally } from '../model/profile-store.js';

/** Maximum amount of data that may wait for the store. */
export interface SegmentQueueLimits {
  readonly records: number;
  readonly bytes: number;
}

/** Listener for the fate of queued records. */
export interface SegmentQueueEvents {
  written(records: number, tally: StoreTally): void;
  dropped(records: number): void;
  /** Called with the error when the store fails, and with undefined when it works. */
  store(error: unknown): void;
  /** Returns the counts of this process's records, as they are once `writing` more are written. */
  counts(writing: number): ProcessCounts;
}

/** Maximum number of segments per write. */
const maxBatchSegments = 16;
const firstPauseMs = 100;
const maxPauseMs = 1000;
const maxRememberedDrops = 100_000;

/**
 * Queue of closed segments on their way to the store. They stay here, and can be read here, until the store has
 * confirmed the write. While the store fails they wait; beyond the limits, the oldest are dropped.
 */
export class SegmentQueue {
  readonly #store: ProfileStore;
  readonly #limits: SegmentQueueLimits;
  readonly #events: SegmentQueueEvents;
  #queue: Segment[] = [];
  /** Number of segments at the front of the queue that are being written. */
  #writing = 0;
  #isWriting = false;
  #beat: NodeJS.Timeout | undefined;
  #records = 0;
  #bytes = 0;
  #failing = false;
  #pause = firstPauseMs;
  #timer: NodeJS.Timeout | undefined;
  #waiting: (() => void)[] = [];
  /** Keys of the records that were dropped most recently. */
  readonly #dropped = new Set<number>();

  constructor(store: ProfileStore, limits: SegmentQueueLimits, events: SegmentQueueEvents) {
    this.#store = store;
    this.#limits = limits;
    this.#events = events;
  }

  get records(): number {
    return this.#records;
  }

  /** Queued segments, newest first. */
  get segments(): readonly Segment[] {
    return this.#queue.toReversed();
  }

  add(segment: Segment): void {
    this.#queue.push(segment);
    this.#records += segment.keys.length;
    this.#bytes += sizeOf(segment);
    while (this.#records > this.#limits.records || this.#bytes > this.#limits.bytes) {
      // Segments that are being written cannot be withdrawn, and the newest segment is kept.
      if (this.#queue.length - this.#writing <= 1) break;
      const [dropped] = this.#queue.splice(this.#writing, 1);
      if (dropped === undefined) break;
      this.#subtract(dropped);
      this.#remember(dropped.keys);
      this.#events.dropped(dropped.keys.length);
    }
    this.#pump();
  }

  /** Returns whether the record of this key was dropped, as far as that is remembered. */
  hasDropped(key: number): boolean {
    return this.#dropped.has(key);
  }

  #remember(keys: readonly number[]): void {
    for (const key of keys) this.#dropped.add(key);
    for (const key of this.#dropped) {
      if (this.#dropped.size <= maxRememberedDrops) break;
      this.#dropped.delete(key);
    }
  }

  /** Returns the queued segment that contains the record of this key. */
  find(key: number): Segment | undefined {
    return this.#queue.find((segment) => segment.keys.includes(key));
  }

  /** Resolves when the queue is empty or the store fails. */
  settled(): Promise<void> {
    this.#pump();
    if (this.#queue.length === 0 || this.#failing) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Retries at once, without waiting for the pause after a failure. */
  async tryAgain(): Promise<void> {
    this.#endPause();
    this.#failing = false;
    await this.settled();
  }

  /**
   * Starts the heartbeat, by which a store that tracks its processes receives the counts even while nothing is written.
   */
  start(): void {
    const { heartbeatMs } = this.#store;
    if (heartbeatMs !== undefined)
      this.#beat ??= setInterval(() => this.#pump({ isBeat: true }), heartbeatMs).unref();
  }

  /** Ends retries and heartbeat. Returns the number of records that were not written. */
  stop(): number {
    clearInterval(this.#beat);
    this.#endPause();
    return this.#records;
  }

  #pump({ isBeat = false }: { readonly isBeat?: boolean } = {}): void {
    if (this.#isWriting || this.#timer !== undefined || (this.#queue.length === 0 && !isBeat)) return;
    const batch = this.#queue.slice(0, maxBatchSegments);
    this.#writing = batch.length;
    this.#isWriting = true;
    const counts = this.#events.counts(recordsOf(batch));
    // A store that throws synchronously must not end the process from a timer.
    (async () => this.#store.write(batch, counts))().then(
      (tally) => this.#done(batch, tally, counts.dropped),
      (error: unknown) => this.#fail(error),
    );
  }

  #done(batch: readonly Segment[], tally: StoreTally, dropped: number): void {
    this.#queue.splice(0, batch.length);
    this.#writing = 0;
    this.#isWriting = false;
    this.#pause = firstPauseMs;
    for (const segment of batch) this.#subtract(segment);
    this.#events.written(recordsOf(batch), tally);
    this.#failing = false;
    this.#events.store(undefined);
    if (this.#queue.length === 0) this.#wake();
    // Records that were dropped or found to be lost in the meantime are reported at once.
    this.#pump({ isBeat: this.#store.processes !== undefined && this.#events.counts(0).dropped !== dropped });
  }

  #fail(error: unknown): void {
    this.#writing = 0;
    this.#isWriting = false;
    this.#failing = true;
    this.#events.store(error);
    this.#wake();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#pump({ isBeat: this.#beat !== undefined });
    }, this.#pause);
    this.#timer.unref();
    this.#pause = Math.min(maxPauseMs, this.#pause * 2);
  }

  #endPause(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #subtract(segment: Segment): void {
    this.#records -= segment.keys.length;
    this.#bytes -= sizeOf(segment);
  }
}

function recordsOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { keys }) => sum + keys.length, 0);
}

function sizeOf(segment: Segment): number {
  return segment.directory.byteLength + segment.body.byteLength;
}
