import { spanKinds } from '../tape/span-registry.js';
import type { Batch } from '../tape/tape.js';
import type { Question, WriterMethods } from './messages.js';
import { createWriterSource, type SourceSettings, type WriterOptions } from './writer-options.js';
import type { WriterLink } from './writer-thread.js';
import { Writer } from './writer.js';

/** A writer on the thread that records: for a store in memory, and for one that the application opened. */
export class LocalWriter implements WriterLink {
  readonly #writer: Writer;
  readonly #failed: (error: unknown) => void;

  constructor(options: WriterOptions) {
    this.#writer = new Writer(options);
    this.#failed = (error) => options.events.failed(error);
  }

  start(): void {}

  addSource(source: number, settings: SourceSettings): void {
    this.#writer.sources.set(source, createWriterSource(settings, spanKinds(), this.#failed));
  }

  add(batch: Batch, source: number): void {
    this.#writer.add(batch, source);
  }

  addLate(...late: Parameters<Writer['addLate']>): void {
    this.#writer.addLate(...late);
  }

  reserve(amount: number): void {
    this.#writer.reserve(amount);
  }

  async ask<Method extends Question>(
    method: Method,
    ...args: Parameters<WriterMethods[Method]>
  ): Promise<Awaited<ReturnType<WriterMethods[Method]>>> {
    const result: unknown = await Reflect.apply(this.#writer[method], this.#writer, args);
    return result as Awaited<ReturnType<WriterMethods[Method]>>; // the method's result
  }

  saveNow(): void {}
}
