import type { RemoteOptions, RemoteStore } from '../remote/remote-store.js';
import type { ThreadAnswer } from './thread-caller.js';

export type RemoteKind = 'postgres' | 'redis';

/** What the thread is started with. `ended` is set to 1 behind the last write of a process that waits for it. */
export interface ThreadData {
  readonly kind: RemoteKind;
  readonly options: RemoteOptions;
  readonly ended: Int32Array<SharedArrayBuffer>;
}

/** One call of a method of the store in the thread; an answer without one says that any process may have written. */
export interface ThreadCall {
  readonly method: keyof RemoteStore;
  readonly args: readonly unknown[];
  /** The process waits, with its loop at rest, until this is done. */
  readonly isLast?: boolean;
}

export interface ThreadReply extends ThreadAnswer {
  readonly result?: unknown;
}
