import { type Completing, completeRecord } from './complete-record.js';
import { startTurns } from './search-turns.js';
import { readRecord } from '../form/segment-reader.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Segment } from '../model/profile-store.js';
import type { RecordSink } from '../model/profiler.js';

/** Segments that wait to be read for the sinks. */
const maxWaiting = 64;
/** Records that a sink is given at once. */
const maxTogether = 64;

/** What the sinks of a profiler are given their records by. */
interface SinkPorts extends Completing {
  tokenOf(key: number): string;
  failed(error: unknown): void;
}

/** Reads closed records again for those who take them, a few milliseconds at a time, and beside the store. */
export class RecordSinks {
  readonly #sinks: readonly RecordSink[];
  readonly #ports: SinkPorts;
  readonly #waiting: Segment[] = [];
  #running: Promise<void> | undefined;

  constructor(sinks: readonly RecordSink[] | undefined, ports: SinkPorts) {
    this.#sinks = sinks ?? [];
    this.#ports = ports;
  }

  add(segment: Segment): void {
    if (this.#sinks.length === 0 || segment.bucket !== 'app') return;
    this.#waiting.push(segment);
    if (this.#waiting.length > maxWaiting) {
      const lost = this.#waiting.shift()?.keys.length ?? 0;
      this.#ports.failed(new RangeError(`${lost} records were not exported: more come than can be read.`));
    }
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  async close(): Promise<void> {
    await this.#running;
    await Promise.all(this.#sinks.map(async (sink) => sink.close?.()));
  }

  async #run(): Promise<void> {
    const turns = startTurns();
    await new Promise(setImmediate); // the store comes first
    for (let segment = this.#waiting.shift(); segment !== undefined; segment = this.#waiting.shift()) {
      let records: ProfileRecord[] = [];
      for (let index = 0; index < segment.keys.length; index++) {
        try {
          records.push(this.#read(segment, index));
        } catch (error) {
          this.#ports.failed(error);
        }
        if (records.length === maxTogether || index === segment.keys.length - 1) {
          this.#give(records);
          records = [];
        }
        await turns.pass();
      }
    }
  }

  #read(segment: Segment, index: number): ProfileRecord {
    const token = this.#ports.tokenOf(segment.keys[index] ?? -1);
    return completeRecord(readRecord({ ...segment, index }), token, this.#ports);
  }

  #give(records: readonly ProfileRecord[]): void {
    for (const sink of this.#sinks) {
      try {
        sink.take(records);
      } catch (error) {
        this.#ports.failed(error);
      }
    }
  }
}
