import type {
  AbsentRecord,
  ProcessCounts,
  ProfileStore,
  Segment,
  StoredRecord,
} from '../../model/profile-store.js';
import { findWritten } from '../remote/find-written.js';
import type { RemoteOptions, RemoteStore } from '../remote/remote-store.js';
import { ThreadCaller } from './thread-caller.js';

/** Milliseconds that the end of the process waits for its last records to be written. */
const endTimeoutMs = 2000;

/** What the thread is started with. `ended` is set to 1 behind the last write of a process that waits for it. */
export interface ThreadData {
  readonly kind: 'postgres' | 'redis';
  readonly options: RemoteOptions;
  readonly ended: Int32Array<SharedArrayBuffer>;
}

/** The store in its thread, which sends a message of its own where any process may have written. */
interface CalledStore
  extends
    Omit<RemoteStore, 'follow' | 'searched'>,
    Required<Pick<ProfileStore, 'search' | 'totals' | 'news'>> {
  follow(): Promise<void>;
}

/**
 * A store on a server, in a thread of its own: the application's thread only hands segments over, and a process that
 * ends can wait for what it has not written. The thread is started when it is first needed, and again after it ended.
 */
export class ThreadedStore implements ProfileStore {
  readonly heartbeatMs = 5000;
  readonly lease: CalledStore['lease'] = this.#method('lease');
  readonly secret: CalledStore['secret'] = this.#method('secret');
  readonly write: CalledStore['write'] = this.#method('write');
  readonly search: CalledStore['search'] = this.#method('search');
  readonly totals: CalledStore['totals'] = this.#method('totals');
  readonly news: CalledStore['news'] = this.#method('news');
  readonly prune: CalledStore['prune'] = this.#method('prune');
  readonly tally: CalledStore['tally'] = this.#method('tally');
  readonly putNote: CalledStore['putNote'] = this.#method('putNote');
  readonly notes: CalledStore['notes'] = this.#method('notes');
  readonly processes: CalledStore['processes'] = this.#method('processes');
  readonly #ended = new Int32Array(new SharedArrayBuffer(4));
  readonly #thread: ThreadCaller<CalledStore>;
  #wake: (() => void) | undefined;

  constructor(kind: ThreadData['kind'], options: RemoteOptions) {
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

  find(key: number): Promise<StoredRecord | AbsentRecord> {
    return findWritten(() => this.#thread.call('find', key));
  }

  onNews(wake: () => void): () => void {
    this.#wake = wake;
    this.#follow();
    return () => {
      this.#wake = undefined;
      if (this.#thread.isRunning) this.#thread.call('unfollow').catch(() => undefined);
    };
  }

  close(): Promise<void> {
    return this.#thread.close('close');
  }

  writeNow(segments: readonly Segment[], counts?: ProcessCounts): void {
    Atomics.store(this.#ended, 0, 0);
    this.#thread.post('write', segments, counts);
    Atomics.wait(this.#ended, 0, 0, endTimeoutMs);
  }

  /** A thread that ended follows no more: its place is taken by the next one. */
  #follow(): void {
    this.#thread.call('follow').catch(() => {
      if (this.#wake !== undefined) setTimeout(() => this.#wake && this.#follow(), 1000).unref();
    });
  }

  #method<Method extends keyof CalledStore>(
    method: Method,
  ): (...args: Parameters<CalledStore[Method]>) => Promise<Awaited<ReturnType<CalledStore[Method]>>> {
    return (...args) => this.#thread.call(method, ...args);
  }
}
