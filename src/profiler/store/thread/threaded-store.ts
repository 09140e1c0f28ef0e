import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { CodedError } from '#coded-error';
import { readRecord } from '../../form/segment-reader.js';
import type {
  AbsentRecord,
  Lease,
  ProcessAccount,
  ProcessCounts,
  ProfileStore,
  Segment,
  StoredRecord,
  StoreNews,
  StoreNewsOrder,
  StorePage,
  StoreSearch,
  StoreTally,
  StoreTotalsOrder,
} from '../../model/profile-store.js';
import type { RecordBucket } from '../../model/profile-record.js';
import type { StoreTotals } from '../../model/profile-totals.js';
import { storeErrors } from '../policy/error-codes.js';
import type { RemoteOptions, RemoteStore } from '../remote/remote-store.js';
import type { RemoteKind, ThreadCall, ThreadData, ThreadReply } from './thread-message.js';

/** Milliseconds that the end of the process waits for its last records to be written. */
const endTimeoutMs = 2000;
/** How long a record is waited for that another process is about to write. */
const answerTimeoutMs = 400;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * A store on a server, in a thread of its own: the application's thread only hands segments over, and a process that
 * ends can wait for what it has not written. The thread is started when it is first needed, and again after it ended.
 */
export class ThreadedStore implements ProfileStore {
  readonly #kind: RemoteKind;
  readonly #options: RemoteOptions;
  readonly #ended = new Int32Array(new SharedArrayBuffer(4));
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #wake: (() => void) | undefined;
  #ids = 0;

  constructor(kind: RemoteKind, options: RemoteOptions) {
    this.#kind = kind;
    this.#options = options;
  }

  lease(amount: number): Promise<Lease> {
    return this.#call('lease', amount);
  }

  write(segments: readonly Segment[], counts?: ProcessCounts): Promise<StoreTally> {
    return this.#call('write', segments, counts);
  }

  async find(key: number): Promise<StoredRecord | AbsentRecord> {
    const end = performance.now() + answerTimeoutMs;
    for (;;) {
      const found = await this.#call('find', key);
      if (typeof found === 'object') return readRecord(found);
      if (found !== 'unwritten' || performance.now() > end) return found;
      await pause(25);
    }
  }

  search(search: StoreSearch): Promise<StorePage> {
    return this.#call('search', search);
  }

  totals(order: StoreTotalsOrder): Promise<StoreTotals> {
    return this.#call('totals', order);
  }

  news(order: StoreNewsOrder): Promise<StoreNews> {
    return this.#call('news', order);
  }

  onNews(wake: () => void): () => void {
    this.#wake = wake;
    this.#follow();
    return () => {
      this.#wake = undefined;
      if (this.#worker !== undefined) this.#call('unfollow').catch(() => undefined);
    };
  }

  prune(bucket?: RecordBucket): Promise<StoreTally> {
    return this.#call('prune', bucket);
  }

  tally(): Promise<StoreTally> {
    return this.#call('tally');
  }

  processes(): Promise<readonly ProcessAccount[]> {
    return this.#call('processes');
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    try {
      await this.#call('close');
    } finally {
      await worker.terminate();
    }
  }

  writeNow(segments: readonly Segment[]): void {
    Atomics.store(this.#ended, 0, 0);
    this.#send({ id: 0, method: 'write', args: [segments], isLast: true });
    Atomics.wait(this.#ended, 0, 0, endTimeoutMs);
  }

  /** A thread that ended follows no more: its place is taken by the next one. */
  #follow(): void {
    this.#call('follow', () => undefined).catch(() => {
      if (this.#wake !== undefined) setTimeout(() => this.#wake && this.#follow(), 1000).unref();
    });
  }

  async #call<Method extends keyof RemoteStore>(
    method: Method,
    ...args: Parameters<RemoteStore[Method]>
  ): Promise<Awaited<ReturnType<RemoteStore[Method]>>> {
    const id = ++this.#ids;
    const result = await new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      // The process stays while an answer is awaited, and may end in between.
      // What is called when there are news is the thread's own.
      this.#send({ id, method, args: method === 'follow' ? [] : args }).ref();
    });
    return result as Awaited<ReturnType<RemoteStore[Method]>>; // what the method gave in the thread
  }

  #send(call: ThreadCall): Worker {
    const worker = (this.#worker ??= this.#start());
    worker.postMessage(call);
    return worker;
  }

  #start(): Worker {
    const data: ThreadData = { kind: this.#kind, options: this.#options, ended: this.#ended };
    const worker = new Worker(new URL('./store-thread.js', import.meta.url), {
      workerData: data,
      // Nothing of the application's own flags (loaders, inspectors, heap sizes) belongs into it.
      execArgv: ['--no-warnings'],
      name: 'lookback store',
    });
    worker.unref();
    worker.on('message', (reply: ThreadReply) => this.#receive(worker, reply));
    worker.on('error', (error) => this.#left(worker, error instanceof Error ? error.message : 'unknown'));
    worker.on('exit', (code) => this.#left(worker, `exit code ${code}`));
    return worker;
  }

  #receive(worker: Worker, { id, result, error }: ThreadReply): void {
    if (id === 0) this.#wake?.();
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) worker.unref();
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new CodedError(error.code, error.message, { fix: error.fix }));
  }

  #left(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const error = storeErrors.create('PROFILER_STORE_WRITER', { path: this.#options.name, reason });
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
    if (this.#wake !== undefined) this.#follow();
  }
}
