import type { ProfileRecord, StoredFinding } from '../../model/profile-record.js';
import type { DropReason } from '../../model/profiler.js';
import type { RecordSource } from '../../encoding/to-record.js';
import type { RecordStore, StoreTally } from '../tables/record-store.js';
import type { Retention } from '../tables/retention.js';
import { createSourceLoader, type SourceLoader } from '#core/errors';
import { safely } from '#core/coded-error';
import { createDump, createRedactor, type RedactorOptions } from '#core/dump';
import type { SpanKind } from '../../encoding/spans.js';
import { completedSections } from '../../sections/completed.js';
import { VisitorThreads } from '../../encoding/visitor-threads.js';

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
  /** Loads the function that finds findings in complete records. Without it, records only have custom sections' findings. */
  readonly finders?: () => Promise<FindFindings>;
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

export function createWriterSource(
  { redaction, ...settings }: SourceSettings,
  shared: Pick<RecordSource, 'kinds' | 'findFindings' | 'failed'>,
): RecordSource {
  const redactor = createRedactor(redaction);
  let config: ProfileRecord['config'] | undefined;
  return {
    ...settings,
    ...shared,
    // Read with the first record: the first use of `Intl` takes longer than many a request.
    get config() {
      return (config ??= { ...settings.config, ...localeFacts() });
    },
    redactor,
    snapshot: createDump({ redactor }),
    visitors: new VisitorThreads(),
    definitions: completedSections,
    sources: createSourceLoader(),
  };
}

/** Process settings that affect dates and texts. */
function localeFacts(): ProfileRecord['config'] {
  const { timeZone, locale } = safely(() => Intl.DateTimeFormat().resolvedOptions(), noFormat);
  return {
    ...(timeZone !== undefined && { 'time zone': timeZone }),
    ...(locale !== undefined && { 'process locale': locale }),
  };
}

const noFormat: { readonly timeZone?: string; readonly locale?: string } = {};
