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

/** Milliseconds for which the end of the process waits for its last records to be written. */
const endTimeoutMs = 2000;

/**
 * Data that the thread is started with. The thread sets `ended` to 1 after the last write of an ending process, which
 * waits for that.
 */
export interface ThreadData {
  readonly kind: 'postgres' | 'redis';
  readonly options: RemoteOptions;
  readonly ended: Int32Array<SharedArrayBuffer>;
}

/** The store as it is called in its thread, which sends a message on its own when any process may have written. */
interface CalledStore
  extends
    Omit<RemoteStore, 'follow' | 'searched'>,
    Required<Pick<ProfileStore, 'search' | 'totals' | 'news'>> {
  follow(): Promise<void>;
}

/**
 * A store on a server, run in its own thread: the application's thread only hands segments over, and an ending process
 * can wait for its last write. The thread is started on demand, and again after it ended.
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

  /** Follows the writes of all processes. A thread that ended no longer does, so the next one starts again. */
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
