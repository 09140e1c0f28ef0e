import type { HttpRequest, HttpResponse, SentResponse } from '#http';
import type { ProfileList, ProfileQuery } from './profile-query.js';
import type { RecordBucket } from './profile-record.js';
import type { ProfilerCounters, StoreState } from './profiler-state.js';
import type { RecordLookup } from './record-lookup.js';
import type { Recording } from './recording.js';

/** The recorder and the reader of records. Nothing of it throws into a request. */
export interface Profiler {
  /** Opens the store, which otherwise happens with the first request or lookup. */
  start(): void;
  /** Starts to watch a request; its token is known from here on. */
  begin(request: HttpRequest, options?: { bucket?: RecordBucket; parent?: Recording }): Recording;
  /** Closes the record, after the last byte. A second call is ignored. */
  finish(recording: Recording, response: HttpResponse | undefined, sent: SentResponse): void;
  tokenOf(recording: Recording): string;
  /** A record by its token, or the newest of the application's for `latest`. */
  find(token: string): Promise<RecordLookup>;
  list(query?: ProfileQuery): Promise<ProfileList>;
  counters(): ProfilerCounters;
  state(): StoreState;
  /** Resolves once everything closed before the call is stored, or the store is failing. */
  flush(): Promise<void>;
  /** Removes all records of a bucket. */
  purge(bucket: RecordBucket): Promise<void>;
  /** Writes what is left, within five seconds, and lets go of the store. */
  close(): Promise<void>;
}
