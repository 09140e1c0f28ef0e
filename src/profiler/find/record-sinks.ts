import { type Completing, completeRecord } from './complete-record.js';
import { startDeadline } from './search-deadline.js';
import { openSegment } from '../form/segment-reader.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Segment } from '../model/profile-store.js';
import type { RecordSink } from '../model/profiler.js';

/** Maximum number of records that wait to be read for the sinks. */
const maxWaiting = 8192;
/** Maximum number of records passed to a sink at once. */
const maxBatch = 64;

/** Dependencies of `RecordSinks`. */
interface SinkPorts extends Completing {
  tokenOf(key: number): string;
  failed(error: unknown): void;
}

/** Decodes closed records for the sinks, a few milliseconds at a time and independently of the store. */
export class RecordSinks {
  readonly #sinks: readonly RecordSink[];
  readonly #ports: SinkPorts;
  readonly #waiting: Segment[] = [];
  #records = 0;
  #running: Promise<void> | undefined;

  constructor(sinks: readonly RecordSink[] | undefined, ports: SinkPorts) {
    this.#sinks = sinks ?? [];
    this.#ports = ports;
  }

  add(segment: Segment): void {
    if (this.#sinks.length === 0 || segment.bucket !== 'app') return;
    this.#waiting.push(segment);
    this.#records += segment.keys.length;
    if (this.#records > maxWaiting && this.#waiting.length > 1) {
      const lost = this.#next()?.keys.length ?? 0;
      this.#ports.failed(
        new RangeError(`${lost} records were not exported: they arrive faster than they can be read.`),
      );
    }
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    await this.#running;
    await Promise.all(this.#sinks.map(async (sink) => sink.close?.()));
  }

  async #run(): Promise<void> {
    const deadline = startDeadline();
    await new Promise(setImmediate); // the store has priority
    for (let segment = this.#next(); segment !== undefined; segment = this.#next()) {
      const { keys } = segment;
      let read: ReturnType<typeof openSegment> | undefined;
      let records: ProfileRecord[] = [];
      for (const [index, key] of keys.entries()) {
        try {
          read ??= openSegment(segment);
          records.push(completeRecord(read(index), this.#ports.tokenOf(key), this.#ports));
        } catch (error) {
          this.#ports.failed(error);
        }
        if (records.length === maxBatch || index === keys.length - 1) {
          this.#deliver(records);
          records = [];
        }
        await deadline.yieldIfDue();
      }
    }
    this.#running = undefined; // in the same tick in which the queue was found empty
  }

  #next(): Segment | undefined {
    const segment = this.#waiting.shift();
    this.#records -= segment?.keys.length ?? 0;
    return segment;
  }

  #deliver(records: readonly ProfileRecord[]): void {
    for (const sink of this.#sinks) {
      try {
        sink.take(records);
      } catch (error) {
        this.#ports.failed(error);
      }
    }
  }
}
