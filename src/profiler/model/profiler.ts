import type { HttpRequest, HttpResponse, SentResponse } from '#http';
import type { CollectedField } from './section-part.js';
import type { ProfileList, ProfileNews, ProfileQuery } from './profile-query.js';
import type { ProcessAccount } from './profile-store.js';
import type { ProfileTotals, TotalsQuery } from './profile-totals.js';
import type { ProfileRecord, RecordBucket } from './profile-record.js';
import type { ProfilerCounters, StoreState } from './profiler-state.js';
import type { RecordLookup } from './record-lookup.js';
import type { RecordMarks } from './record-marks.js';
import type { Recording } from './recording.js';

/** Where the record of a request belongs. */
export interface BeginOptions {
  readonly bucket?: RecordBucket | undefined;
  readonly parent?: Recording | undefined;
  /** Whether it is kept is decided when it is over, by its outcome. */
  readonly isOnTrial?: boolean | undefined;
  /** Whether the client may have a CPU profile taken, by `?_profile=cpu`. Default no. */
  readonly mayProfile?: boolean | undefined;
}

/**
 * The recorder and the reader of records. Nothing of it throws into a request. A framework calls `begin`, sets `requestRecording` in the
 * request's scope, reports to the recording what it learns (dispatches by `createRecordingObserver`), and calls `finish` behind the last byte.
 */
export interface Profiler {
  /** Opens the store now, instead of with the first request or lookup. */
  start(): void;
  /** Starts to watch a request; its token is known from here on. Undefined where sampling leaves it out. */
  sample(request: HttpRequest, options?: BeginOptions): Recording | undefined;
  /** The same without sampling. */
  begin(request: HttpRequest, options?: BeginOptions): Recording;
  /** Closes the record, after the last byte. A second call is ignored. */
  finish(recording: Recording, response: HttpResponse | undefined, sent: SentResponse): void;
  /** A record by its token, or the newest of the application's for `latest`. */
  find(token: string): Promise<RecordLookup>;
  /** The numbers that its collectors declare: fields of queries. */
  readonly collected: readonly CollectedField[];
  list(query?: ProfileQuery): Promise<ProfileList>;
  /** Counts all records that meet the conditions, including those not stored yet. */
  totals(query?: TotalsQuery): Promise<ProfileTotals>;
  /**
   * What any process stored after a position, each record once; null returns only the current position. Undefined if
   * the store does not know, or has failed.
   */
  news(
    query: Pick<ProfileQuery, 'bucket' | 'where'>,
    position: string | null,
  ): Promise<ProfileNews | undefined>;
  /** Calls `wake` when there may be news, until the function given is called. Keeps no process alive. */
  onNews(wake: () => void): () => void;
  /** What people wrote at records; undefined where the store keeps nothing of the kind. */
  readonly marks: RecordMarks | undefined;
  counters(): ProfilerCounters;
  /** What happened to the records of each process that shares the store: the 1,000 that started last. Empty where the store keeps no accounts. */
  processes(): Promise<readonly ProcessAccount[]>;
  state(): StoreState;
  /** Resolves once everything closed before the call is stored, or the store is failing. */
  flush(): Promise<void>;
  /** Removes all records of a bucket. */
  purge(bucket: RecordBucket): Promise<void>;
  /** Writes the remaining records, within five seconds, and releases the store. */
  close(): Promise<void>;
}

/**
 * Another destination for the records of this process, independent of the store: an exporter. Only the application's
 * requests.
 */
export interface RecordSink {
  readonly name: string;
  /** Some records in the order in which they were closed, soon afterwards. Bounds what it keeps; what it throws is reported as a failure of the profiler. */
  take(records: readonly ProfileRecord[]): void;
  /** Sends the remaining records. The end of the process waits a second for it. */
  close?(): Promise<void>;
}

/** Port: databases that can return the plan of a recorded query. */
export interface QueryExplainer {
  /** Whether queries of a connection can be explained here. */
  knows(connection: string): boolean;
  /**
   * Plans a statement, and never runs it: one `SELECT` without comments and semicolons, from a record. `numbered` has `$1` in place of
   * `?`, `bare` has NULL in place of every placeholder; `values` are undefined where not all of them are known. Rejects with what went
   * wrong.
   */
  explain(query: {
    readonly connection: string;
    readonly sql: string;
    readonly numbered: string;
    readonly bare: string;
    readonly hasPlaceholders: boolean;
    readonly values: readonly (string | number | bigint | boolean | null)[] | undefined;
  }): Promise<{
    readonly text: string;
    /** What the plan is for: the recorded values, any values, or NULL in their place. */
    readonly placeholders: 'values' | 'any' | 'null';
  }>;
}
