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

/** A store on a server, as it works in its thread: as the port says, but records stay bytes until they are out of it. */
export interface RemoteStore extends Required<
  Pick<ProfileStore, 'secret' | 'write' | 'prune' | 'tally' | 'processes' | 'putNote' | 'notes' | 'close'>
> {
  lease(amount: number): Promise<Lease>;
  find(key: number): Promise<RecordBytes | AbsentRecord>;
  /** Searches the records of a bucket. */
  searched<Result>(bucket: RecordBucket, read: (search: BlockSearch) => Promise<Result>): Promise<Result>;
  /** Calls `wake` from now on when any process may have written; until `unfollow`. */
  follow(wake: () => void): Promise<void>;
  unfollow(): Promise<void>;
  /** Nothing more is to be expected of this process. */
  leave(): Promise<void>;
}

/** Which process writes. */
export interface StoreProcess extends Pick<ProcessAccount, 'host' | 'pid' | 'version' | 'startedAt'> {
  /** 48 random bits: processes come and go, and their numbers come again. */
  readonly run: number;
}

/** What a store on a server is made of; can be sent to a thread. */
export interface RemoteOptions {
  readonly address: string;
  /** The address without its password. */
  readonly name: string;
  readonly retention: Retention;
  readonly process: StoreProcess;
}

/** This process, under a number of its own. */
export function identifyProcess(): StoreProcess {
  return {
    run: randomInt(2 ** 48 - 1),
    host: hostname(),
    pid: process.pid,
    version: processOrigin().version,
    startedAt: Date.now(),
  };
}
