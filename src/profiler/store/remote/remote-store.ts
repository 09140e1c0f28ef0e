import { randomInt } from 'node:crypto';
import { hostname } from 'node:os';
import type { BlockSearch } from '../../find/block/block-search.js';
import type { RecordBytes } from '../../form/segment-reader.js';
import type { RecordBucket } from '../../model/profile-record.js';
import type {
  AbsentRecord,
  Lease,
  ProcessAccount,
  ProfileStore,
  Retention,
} from '../../model/profile-store.js';
import { processOrigin } from '../../watch/process-origin.js';

/**
 * A store on a server, as used within its thread. It follows `ProfileStore`, except that records stay encoded until
 * they leave the thread.
 */
export interface RemoteStore extends Required<
  Pick<ProfileStore, 'secret' | 'write' | 'prune' | 'tally' | 'processes' | 'putNote' | 'notes' | 'close'>
> {
  lease(amount: number): Promise<Lease>;
  find(key: number): Promise<RecordBytes | AbsentRecord>;
  /** Calls `read` with the search over the records of a bucket. */
  searched<Result>(bucket: RecordBucket, read: (search: BlockSearch) => Promise<Result>): Promise<Result>;
  /** Calls `wake` when any process may have written, until `unfollow` is called. */
  follow(wake: () => void): Promise<void>;
  unfollow(): Promise<void>;
  /** Marks this process as ended. */
  leave(): Promise<void>;
}

/** Identity of the writing process. */
export interface StoreProcess extends Pick<ProcessAccount, 'host' | 'pid' | 'version' | 'startedAt'> {
  /** 48 random bits, because the system reuses process ids. */
  readonly run: number;
}

/** Options of a store on a server; can be posted to a thread. */
export interface RemoteOptions {
  readonly address: string;
  /** The address without its password. */
  readonly name: string;
  readonly retention: Retention;
  readonly process: StoreProcess;
}

/** Identifies this process, with a new random `run`. */
export function identifyProcess(): StoreProcess {
  return {
    run: randomInt(2 ** 48 - 1),
    host: hostname(),
    pid: process.pid,
    version: processOrigin().version,
    startedAt: Date.now(),
  };
}
