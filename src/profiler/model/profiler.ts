import type { HttpRequest, HttpResponse, SentResponse } from '#core/http';
import type { CollectedField } from '../sections/section.js';
import type { ProfileList, ProfileNews, ProfileQuery, ProfileTotals, TotalsQuery } from './profile-query.js';
import type { DeclaredRoutes, StoredRoutes } from './declared-routes.js';
import type { FindOptions, RecordLookup, RecordMark } from './record-lookup.js';
import type { ProfileRecord, RecordOrigin } from './profile-record.js';
import type { Recording } from './recording.js';

/** The known libraries loaded by a process. */
export interface LibrarySource {
  /** Counts changes to `list`. */
  changes(): number;
  list(): NonNullable<ProfileRecord['libraries']>;
}

/** Options for recording one request. */
export interface BeginOptions {
  readonly origin?: RecordOrigin | undefined;
  /** If true, the request's outcome decides whether its record is kept. */
  readonly isTailSampled?: boolean | undefined;
  /** Whether the client may request a CPU profile with `?_profile=cpu`. Default false. */
  readonly mayProfile?: boolean | undefined;
}

/**
 * Records requests and reads their records. Its methods never throw into a request. A framework calls `begin`, sets
 * `requestRecording` in the request's scope, reports to the recording what it learns (event dispatches through
 * `createRecordingObserver`), and calls `finish` after the last byte.
 */
export interface Profiler {
  /** Opens the store in the first quiet moment, without waiting for the first request or lookup. */
  start(): void;
  /**
   * Runs work in the first moment without requests, or at once if it has been: for what recording needs only after the
   * first response. Never runs it if the process ends or the profiler is closed before.
   */
  whenQuiet(work: () => void): void;
  /**
   * Reserves the first tokens. Resolves when the first tokens are reserved, when the store has failed, or after `maxMs`;
   * tokens issued earlier are twice as long. Returns undefined if there is nothing to wait for. `keepsAlive` sets
   * whether the process stays alive meanwhile. Default true.
   */
  ready(maxMs: number, options?: { readonly keepsAlive?: boolean }): Promise<void> | undefined;
  /**
   * Starts recording a request, which gives it a token. Returns undefined if the request is ignored, or excluded by
   * sampling.
   */
  sample(request: HttpRequest, options?: BeginOptions): Recording | undefined;
  /** Starts recording a request regardless of sampling. */
  begin(request: HttpRequest, options?: BeginOptions): Recording;
  /** Closes the record; called after the last byte. Further calls are ignored. */
  finish(recording: Recording, response: HttpResponse | undefined, sent: SentResponse): void;
  /** Adds facts about the application, without secrets, to the configuration shown in later records. */
  describe(facts: Readonly<Record<string, string | number | boolean>>): void;
  /** Stores the application's routes, replacing those declared before. */
  declareRoutes(declared: DeclaredRoutes): void;
  /** Returns the routes declared most recently by any process; undefined if there are none. */
  routes(): Promise<StoredRoutes | undefined>;
  /** Adds the loaded libraries to later records. */
  describeLibraries(libraries: LibrarySource): void;
  /** Looks up a record by its token; `latest` means the application's newest record. */
  find(token: string, options?: FindOptions): Promise<RecordLookup>;
  /** Numbers declared by the sections, which queries can use as fields. */
  readonly collected: readonly CollectedField[];
  list(query?: ProfileQuery): Promise<ProfileList>;
  /** Counts all records that meet the conditions, including those not stored yet. */
  totals(query?: TotalsQuery): Promise<ProfileTotals>;
  /**
   * Returns the records that any process has stored after a position; for null, only the current position. Undefined if
   * the store cannot be read.
   */
  news(
    query: Pick<ProfileQuery, 'origin' | 'where'>,
    position: string | null,
  ): Promise<ProfileNews | undefined>;
  /**
   * Pins a record with a note, so that no limit removes it; null removes the pin. Resolves to false if there is no such
   * record. Rejects with `PROFILER_MARKS_FULL` if too many are pinned.
   */
  mark(token: string, mark: RecordMark | null): Promise<boolean>;
  /**
   * Adds a browser's report about the page of a record, redacted and bounded. Only the first report is kept, and
   * malformed ones are dropped.
   */
  addBrowserReport(token: string, text: string): Promise<void>;
  counters(): ProfilerCounters;
  /** True if nothing is recorded because SQLite is missing; `state` has the message. */
  readonly isOff: boolean;
  state(): StoreState;
  /** Resolves once every record closed before the call is stored, or the store is failing. */
  flush(): Promise<void>;
  /** Removes all of an origin's records. */
  purge(origin: RecordOrigin): Promise<void>;
  /** Writes pending records within five seconds, then releases the store. */
  close(): Promise<void>;
}

/**
 * Why a record was not kept. `queue-full`: too many waited, because the store failed, or because requests came faster
 * than they are written while no one reads. `unrecordable`: encoding failed. `refused`: its token belongs to another
 * record. `writer-ended`: it waited in a thread that ended. `not-written-at-close`: the store was still failing when
 * the profiler was closed.
 */
export type DropReason = 'queue-full' | 'unrecordable' | 'refused' | 'writer-ended' | 'not-written-at-close';

/** This process's record counts. At any moment, made = stored + pruned + dropped (all reasons) + pending. */
export interface ProfilerCounters {
  readonly made: number;
  /** Records written to the store; its limits may have removed some since. */
  readonly stored: number;
  /** Records that the limits removed before they were written. */
  readonly pruned: number;
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** Records that are closed but not written yet. */
  readonly pending: number;
  /** Requests being recorded; not included in `made`. */
  readonly open: number;
  /** Requests excluded by sampling; not included in `made`. */
  readonly sampledOut: number;
  /** Milliseconds spent encoding records. */
  readonly recordingMs: number;
  /** The recorder's internal failures; the requests were not affected. */
  readonly failures: number;
}

/** The store's state. */
export interface StoreState {
  /** `failing`: records are kept in memory (bounded) while the store is retried. */
  readonly status: 'ready' | 'failing' | 'closed';
  /** The store's address: `sqlite:/app/var/profiler.db`, `memory:`. */
  readonly store: string;
  /** One sentence for people; empty while the store is ready and nothing has happened. */
  readonly message: string;
  /** The problem's code: `PROFILER_STORE_FULL`, … */
  readonly code: string | null;
  /** When this status began, in milliseconds since the epoch. */
  readonly since: number;
  /** Records and bytes in the store, from all processes; null if unknown. */
  readonly records: number | null;
  readonly bytes: number | null;
}

/** A recorded read-only query in the syntaxes that different drivers accept. */
export interface ExplainedQuery {
  readonly connection: string;
  readonly sql: string;
  /** The statement with `$1`, `$2`, … instead of `?`. */
  readonly numbered: string;
  /** The statement with NULL instead of every placeholder. */
  readonly bare: string;
  readonly hasPlaceholders: boolean;
  /** Placeholder values; undefined if one of them is redacted, truncated or not a primitive. */
  readonly values: readonly (string | number | bigint | boolean | null)[] | undefined;
}

/** Port: returns recorded queries' plans. */
export interface QueryExplainer {
  /** Returns whether queries on this connection can be explained. */
  knows(connection: string): boolean;
  /**
   * Returns the plan of a recorded statement: a single `SELECT` without comments or semicolons. Planning may evaluate
   * functions declared immutable, and derived tables. Rejects if the statement cannot be planned.
   */
  explain(query: ExplainedQuery): Promise<{
    readonly text: string;
    /** The plan's assumption about placeholders: the recorded values, any values, or NULL. */
    readonly placeholders: 'values' | 'any' | 'null';
  }>;
}
