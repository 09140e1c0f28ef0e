import type { ProfileRecord, StoredFinding } from '../../model/profile-record.js';
import type { DropReason } from '../../model/profiler.js';
import type { RecordSource } from '../../encoding/to-record.js';
import type { RecordStore, StoreTally } from '../tables/record-store.js';
import type { Retention } from '../tables/retention.js';
import { createSourceLoader, type SourceLoader } from '#core/errors';
import { createDump, createRedactor, type RedactorOptions } from '#core/dump';
import type { SpanKind } from '../../encoding/spans.js';
import { completedSections } from '../../sections/completed.js';
import { VisitorThreads } from '../../encoding/visitor-threads.js';

/** Counts of the records that a writer received: received = stored + pruned + dropped + waiting. */
export interface WriterCounts {
  /** Records that it wrote. The retention may have removed them since. */
  readonly stored: number;
  /** Records that the retention removed while they waited. */
  readonly pruned: number;
  readonly dropped: Readonly<Record<WriterDrop, number>>;
  readonly waiting: number;
}

export type WriterDrop = Exclude<DropReason, 'not-written-at-close' | 'writer-ended'>;

export interface WriterEvents {
  /** Called after each attempt to write; `error` is that of the store. */
  wrote(counts: WriterCounts, tally: StoreTally | undefined, error: unknown): void;
  /** The ids that were reserved for this process: `from` inclusive, `to` exclusive. */
  reserved(from: number, to: number): void;
  failed(error: unknown): void;
}

export interface WriterOptions {
  /** Opens the store; called again after it failed. */
  readonly open: () => RecordStore | Promise<RecordStore>;
  readonly retention: Pick<Retention, 'records' | 'profilerRecords'>;
  /** If true, nothing is written until someone reads. */
  readonly isLazy?: boolean;
  /** The registered kinds of spans, by id; further ones may be added. */
  readonly kinds: readonly SpanKind[];
  readonly events: WriterEvents;
  /** Loads what finds findings in complete records; without it, records have those of own sections only. */
  readonly finders?: () => Promise<FindFindings>;
  /** Milliseconds until a failed write is tried again, doubled each time up to 30 s; default 500. */
  readonly retryMs?: number;
}

/** Returns what stands out in a complete record. */
export type FindFindings = (record: ProfileRecord, sources?: SourceLoader) => readonly StoredFinding[];

/** What a writer must know of an application to make its records, as plain data. */
export interface SourceSettings {
  readonly redaction: RedactorOptions;
  readonly config: ProfileRecord['config'];
  readonly limits: { readonly requestBody: number; readonly responseBody: number };
  readonly bodyTypes?: readonly string[] | undefined;
}

export function createWriterSource(
  { redaction, ...settings }: SourceSettings,
  shared: Pick<RecordSource, 'kinds' | 'findFindings' | 'failed'>,
): RecordSource {
  const redactor = createRedactor(redaction);
  return {
    ...settings,
    ...shared,
    redactor,
    snapshot: createDump({ redactor }),
    visitors: new VisitorThreads(),
    definitions: completedSections,
    sources: createSourceLoader(),
  };
}
