import { Worker } from 'node:worker_threads';
import { CodedError } from '#coded-error';
import type { LateNotes } from '../record/late-notes.js';
import { spanKinds } from '../tape/span-registry.js';
import type { Batch } from '../tape/tape.js';
import type {
  Question,
  SentError,
  WriterMessage,
  WriterMethods,
  WriterReport,
  WriterThreadData,
} from './messages.js';
import type { SourceSettings, WriterEvents } from './writer-options.js';

/** Milliseconds for which the end of the process waits for its last records to be written. */
const endTimeoutMs = 2000;
/** Batches that wait for the thread to be started. */
const maxUnsent = 1000;

/** What a writer does for the thread that records, whether it is a thread of its own or not. */
export interface WriterLink {
  /** Starts what is needed to write; until then, batches wait. */
  start(): void;
  addSource(source: number, settings: SourceSettings): void;
  add(batch: Batch, source: number): void;
  addLate(id: number, late: LateNotes): void;
  reserve(amount: number): void;
  ask<Method extends Question>(
    method: Method,
    ...args: Parameters<WriterMethods[Method]>
  ): Promise<Awaited<ReturnType<WriterMethods[Method]>>>;
  /** Writes what waits, while nothing can be awaited: the process may end, or ends (`isLast`). */
  saveNow(options: { readonly isLast: boolean }): void;
}

/** What the thread's client says in addition to the writer. */
export interface ThreadEvents extends WriterEvents {
  /** The thread ended; `unwritten` records were in it. */
  ended(reason: string): void;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** A writer in a thread of its own. The thread is started on demand, and again after it ended. */
export class WriterThread implements WriterLink {
  readonly #data: WriterThreadData;
  readonly #events: ThreadEvents;
  readonly #sources = new Map<number, SourceSettings>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #unsent: WriterMessage[] = [];
  #worker: Worker | undefined;
  #sentKinds = 0;
  #numbers = 0;
  /** Number of the question that closes the writer. */
  #closing = 0;

  constructor(data: WriterThreadData, events: ThreadEvents) {
    this.#data = data;
    this.#events = events;
  }

  start(): void {
    this.#worker ??= this.#start();
  }

  addSource(source: number, settings: SourceSettings): void {
    this.#sources.set(source, settings);
    this.#worker?.postMessage({ kind: 'source', source, settings } satisfies WriterMessage);
  }

  add(batch: Batch, source: number): void {
    if (this.#worker === undefined) {
      this.#unsent.push({ kind: 'batch', source, batch, kinds: [] });
      if (this.#unsent.length > maxUnsent) this.start();
      return;
    }
    this.#postBatch(this.#worker, { kind: 'batch', source, batch, kinds: this.#newKinds() });
  }

  addLate(id: number, late: LateNotes): void {
    this.start();
    this.#worker?.postMessage({ kind: 'late', id, late } satisfies WriterMessage);
  }

  reserve(amount: number): void {
    const message: WriterMessage = { kind: 'reserve', amount };
    if (this.#worker === undefined) this.#unsent.push(message);
    else this.#worker.postMessage(message);
  }

  async ask<Method extends Question>(
    method: Method,
    ...args: Parameters<WriterMethods[Method]>
  ): Promise<Awaited<ReturnType<WriterMethods[Method]>>> {
    if (method === 'close' && this.#worker === undefined && this.#unsent.length === 0)
      return undefined as Awaited<ReturnType<WriterMethods[Method]>>; // what `close` returns
    this.start();
    const worker = this.#worker;
    const number = ++this.#numbers;
    if (method === 'close') this.#closing = number;
    const result = await new Promise((resolve, reject) => {
      const kinds = this.#newKinds();
      worker?.postMessage({ kind: 'question', number, method, args, kinds } satisfies WriterMessage);
      this.#waiting.set(number, { resolve, reject });
      // Keeps the process alive only while an answer is awaited.
      worker?.ref();
    });
    if (method === 'close') await worker?.terminate();
    return result as Awaited<ReturnType<WriterMethods[Method]>>; // the method's result in the thread
  }

  saveNow({ isLast }: { readonly isLast: boolean }): void {
    if (this.#worker === undefined && this.#unsent.length === 0) return;
    this.start();
    const done = new Int32Array(new SharedArrayBuffer(4));
    this.#worker?.postMessage({ kind: 'save', isLast, done } satisfies WriterMessage);
    Atomics.wait(done, 0, 0, endTimeoutMs);
  }

  #postBatch(worker: Worker, message: WriterMessage & { kind: 'batch' }): void {
    const { data } = message.batch;
    const { buffer } = data;
    const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === data.byteLength;
    worker.postMessage(message, isWhole ? [buffer] : []);
  }

  #newKinds(): WriterThreadKinds {
    const kinds = spanKinds();
    if (kinds.length === this.#sentKinds) return [];
    const fresh = kinds.slice(this.#sentKinds);
    this.#sentKinds = kinds.length;
    return fresh;
  }

  #start(): Worker {
    // The application's own flags (loaders, inspectors, heap sizes) are not passed on.
    const worker = new Worker(new URL('./write-in-thread.js', import.meta.url), {
      workerData: this.#data,
      execArgv: ['--no-warnings'],
      name: 'lookback writer',
      resourceLimits: { maxYoungGenerationSizeMb: 12 }, // what it makes lives shortly: more would only stay in use
    });
    worker.on('message', (report: WriterReport) => this.#take(report, worker));
    worker.on('error', (error) => this.#lost(worker, error instanceof Error ? error.message : 'unknown'));
    worker.on('exit', (code) => this.#lost(worker, `exit code ${code}`));
    worker.unref(); // last: a listener of messages makes the thread keep the process alive again
    this.#sentKinds = 0;
    this.#worker = worker;
    for (const [source, settings] of this.#sources)
      worker.postMessage({ kind: 'source', source, settings } satisfies WriterMessage);
    for (const message of this.#unsent.splice(0))
      if (message.kind === 'batch') this.#postBatch(worker, { ...message, kinds: this.#newKinds() });
      else worker.postMessage(message);
    return worker;
  }

  #take(report: WriterReport, worker: Worker): void {
    switch (report.kind) {
      case 'answer': {
        // At once: the thread may end in this turn of the loop, and that is no failure.
        if (report.number === this.#closing && this.#worker === worker) this.#worker = undefined;
        const waiting = this.#waiting.get(report.number);
        this.#waiting.delete(report.number);
        if (this.#waiting.size === 0) worker.unref();
        if (report.error === undefined) waiting?.resolve(report.result);
        else waiting?.reject(toError(report.error));
        return;
      }
      case 'wrote':
        return this.#events.wrote(report.counts, report.tally, report.error && toError(report.error));
      case 'reserved':
        return this.#events.reserved(report.from, report.to);
      case 'finished':
        return this.#events.finished(report.source, report.records);
      case 'failed':
        return this.#events.failed(toError(report.error));
    }
  }

  #lost(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#events.ended(reason);
    const error = new Error(`The thread that writes records ended: ${reason}.`);
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

type WriterThreadKinds = (WriterMessage & { kind: 'batch' })['kinds'];

function toError({ code, message, fix }: SentError): Error {
  return code === null ? new Error(message) : new CodedError(code, message, { fix });
}
