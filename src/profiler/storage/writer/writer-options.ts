import type { ProfileRecord, StoredFinding } from '../../model/profile-record.js';
import type { DropReason } from '../../model/profiler.js';
import type { RecordSource, toRecords } from '../../encoding/to-record.js';
import type { RecordStore, StoreTally } from '../tables/record-store.js';
import type { Retention } from '../tables/retention.js';
import type { SourceLoader } from '#core/errors';
import type { RedactorOptions } from '#core/dump';
import type { SpanKind } from '../../encoding/spans.js';
import type { VisitorThreads } from '../../encoding/visitor-threads.js';

/** Counts the records that a writer received: received = stored + pruned + dropped + waiting. */
export interface WriterCounts {
  /** Records written; the retention may have removed some since. */
  readonly stored: number;
  /** Records removed by the retention while they waited. */
  readonly pruned: number;
  readonly dropped: Readonly<Record<WriterDrop, number>>;
  readonly waiting: number;
}

export type WriterDrop = Exclude<DropReason, 'not-written-at-close' | 'writer-ended'>;

export interface WriterEvents {
  /** Called after each attempt to write, with the store's error if it failed. */
  wrote(counts: WriterCounts, tally: StoreTally | undefined, error: unknown): void;
  /** Ids reserved for this process: `from` inclusive, `to` exclusive. */
  reserved(from: number, to: number): void;
  failed(error: unknown): void;
}

export interface WriterOptions {
  /** Opens the store; called again after it fails. */
  readonly open: () => RecordStore | Promise<RecordStore>;
  readonly retention: Pick<Retention, 'records' | 'profilerRecords'>;
  /** If true, nothing is written until a reader asks. */
  readonly isLazy?: boolean;
  /** Registered span kinds by id; more may be added later. */
  readonly kinds: readonly SpanKind[];
  readonly events: WriterEvents;
  /** Loads the code that converts records. */
  readonly loadConverter: () => Promise<Converter>;
  /** Delay before retrying a failed write, in milliseconds, doubled each time up to 30 s. Default 500. */
  readonly retryMs?: number;
}

/** Returns a complete record's findings. */
export type FindFindings = (record: ProfileRecord, sources?: SourceLoader) => readonly StoredFinding[];

/** An application's settings that a writer needs to convert its records, as plain data. */
export interface SourceSettings {
  readonly redaction: RedactorOptions;
  readonly config: ProfileRecord['config'];
  readonly libraries?: ProfileRecord['libraries'];
  readonly limits: { readonly requestBody: number; readonly responseBody: number };
  readonly bodyTypes?: readonly string[] | undefined;
}

/** An application whose records a writer converts. */
export interface WriterSource {
  readonly settings: SourceSettings;
  /** Kept when the settings change. */
  readonly lasting: { visitors?: VisitorThreads };
  /** Created with the first record. */
  made?: RecordSource;
}

/**
 * Converts encoded records. It is most of a writer's code, and loaded with the first record: until then, a process may
 * only reserve ids, or have nothing to write.
 */
export interface Converter {
  createSource(source: WriterSource, shared: Pick<RecordSource, 'kinds' | 'failed'>): RecordSource;
  readonly toRecords: typeof toRecords;
  readonly findFindings: FindFindings;
}
