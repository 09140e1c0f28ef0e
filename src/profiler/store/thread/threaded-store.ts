import { setTimeout as pause } from 'node:timers/promises';
import { readRecord } from '../../form/segment-reader.js';
import type {
  AbsentRecord,
  ProcessCounts,
  ProfileStore,
  Segment,
  StoredRecord,
} from '../../model/profile-store.js';
import type { RemoteOptions, RemoteStore } from '../remote/remote-store.js';
import { ThreadCaller } from './thread-caller.js';
import type { RemoteKind, ThreadCall, ThreadData, ThreadReply } from './thread-message.js';

/** Milliseconds that the end of the process waits for its last records to be written. */
const endTimeoutMs = 2000;
/** How long a record is waited for that another process is about to write. */
const answerTimeoutMs = 400;

/**
 * A store on a server, in a thread of its own: the application's thread only hands segments over, and a process that
 * ends can wait for what it has not written. The thread is started when it is first needed, and again after it ended.
 */
export class ThreadedStore implements ProfileStore {
  readonly heartbeatMs = 5000;
  readonly lease: RemoteStore['lease'] = this.#method('lease');
  readonly secret: RemoteStore['secret'] = this.#method('secret');
  readonly write: RemoteStore['write'] = this.#method('write');
  readonly search: RemoteStore['search'] = this.#method('search');
  readonly totals: RemoteStore['totals'] = this.#method('totals');
  readonly news: RemoteStore['news'] = this.#method('news');
  readonly prune: RemoteStore['prune'] = this.#method('prune');
  readonly tally: RemoteStore['tally'] = this.#method('tally');
  readonly putNote: RemoteStore['putNote'] = this.#method('putNote');
  readonly notes: RemoteStore['notes'] = this.#method('notes');
  readonly processes: RemoteStore['processes'] = this.#method('processes');
  readonly #ended = new Int32Array(new SharedArrayBuffer(4));
  readonly #thread: ThreadCaller<ThreadCall, ThreadReply>;
  #wake: (() => void) | undefined;

  constructor(kind: RemoteKind, options: RemoteOptions) {
    this.#thread = new ThreadCaller({
      file: new URL('./store-thread.js', import.meta.url),
      name: options.name,
      start: () => ({
        data: { kind, options, ended: this.#ended } satisfies ThreadData,
        ended: () => {
          if (this.#wake !== undefined && !this.#thread.isRunning) this.#follow();
        },
      }),
      notified: () => this.#wake?.(),
    });
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

  onNews(wake: () => void): () => void {
    this.#wake = wake;
    this.#follow();
    return () => {
      this.#wake = undefined;
      if (this.#thread.isRunning) this.#call('unfollow').catch(() => undefined);
    };
  }

  close(): Promise<void> {
    return this.#thread.close({ method: 'close', args: [] });
  }

  writeNow(segments: readonly Segment[], counts?: ProcessCounts): void {
    Atomics.store(this.#ended, 0, 0);
    this.#thread.post({ method: 'write', args: [segments, counts], isLast: true });
    Atomics.wait(this.#ended, 0, 0, endTimeoutMs);
  }

  /** A thread that ended follows no more: its place is taken by the next one. */
  #follow(): void {
    this.#call('follow', () => undefined).catch(() => {
      if (this.#wake !== undefined) setTimeout(() => this.#wake && this.#follow(), 1000).unref();
    });
  }

  #method<Method extends keyof RemoteStore>(
    method: Method,
  ): (...args: Parameters<RemoteStore[Method]>) => Promise<Awaited<ReturnType<RemoteStore[Method]>>> {
    return (...args) => this.#call(method, ...args);
  }

  async #call<Method extends keyof RemoteStore>(
    method: Method,
    ...args: Parameters<RemoteStore[Method]>
  ): Promise<Awaited<ReturnType<RemoteStore[Method]>>> {
    // What is called when there are news is the thread's own.
    const { result } = await this.#thread.ask({ method, args: method === 'follow' ? [] : args });
    return result as Awaited<ReturnType<RemoteStore[Method]>>; // what the method gave in the thread
  }
}
