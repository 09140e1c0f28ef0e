import type { ProfileRecord } from '../../model/profile-record.js';
import type { DropReason } from '../../model/profiler.js';
import type { RecordSource } from '../../encoding/to-record.js';
import type { RecordStore, Retention, StoreTally } from '../tables/record-store.js';
import { createSourceLoader } from '#core/errors';
import { createDump, createRedactor, type RedactorOptions } from '#core/dump';
import type { SpanKind } from '../../encoding/spans.js';
import { VisitorThreads } from '../../encoding/visitor-threads.js';
import type { Collector } from '../../model/collector.js';
import { cpuPart } from '../../sections/all-collectors.js';
import { budgetPart } from '../../sections/budgets/create-budget-collector.js';
import { dumpPart } from '../../sections/dumps/create-dump-collector.js';
import { headersPart } from '../../sections/request/create-header-collector.js';
import { renderPart } from '../../sections/templates/create-render-collector.js';
import { securityPart } from '../../sections/security/create-security-collector.js';
import { translationPart } from '../../sections/translation/create-translation-collector.js';
import { dbPart } from '../../sections/database/db-part.js';
import type { CompletedPart } from '../../sections/define-part.js';
import { loopPart } from '../../sections/event-loop/loop-collector.js';
import { cachePart } from '../../sections/outgoing/cache-collector.js';
import { httpPart } from '../../sections/outgoing/http-collector.js';
import { jobsPart } from '../../sections/outgoing/jobs-collector.js';
import { mailPart } from '../../sections/outgoing/mail-collector.js';
import { tracePart } from '../../sections/outgoing/outgoing-collectors.js';
import { spansPart } from '../../sections/spans/span-collector.js';

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
  /** Milliseconds until a failed write is tried again, doubled each time up to 30 s; default 500. */
  readonly retryMs?: number;
}

/** What a writer must know of an application to make its records, as plain data. */
export interface SourceSettings {
  readonly redaction: RedactorOptions;
  readonly config: ProfileRecord['config'];
  readonly limits: { readonly requestBody: number; readonly responseBody: number };
  readonly bodyTypes?: readonly string[] | undefined;
}

export function createWriterSource(
  { redaction, ...settings }: SourceSettings,
  kinds: readonly SpanKind[],
  failed: (error: unknown) => void,
): RecordSource {
  const redactor = createRedactor(redaction);
  return {
    ...settings,
    redactor,
    picture: createDump({ redactor }),
    visitors: new VisitorThreads(),
    kinds,
    parts: builtInParts,
    sources: createSourceLoader(),
    failed,
  };
}

const parts: readonly CompletedPart[] = [
  budgetPart,
  cachePart,
  cpuPart,
  dbPart,
  dumpPart,
  headersPart,
].concat([
  httpPart,
  jobsPart,
  loopPart,
  mailPart,
  renderPart,
  securityPart,
  spansPart,
  tracePart,
  translationPart,
]);

/** The parts of the collectors of this package by section name, as the writer's thread needs them. */
export const builtInParts: ReadonlyMap<string, CompletedPart> = new Map(
  parts.map((part) => [part.name, part]),
);

/** Returns whether a collector is one of this package, whose data the writer completes. */
export function isBuiltIn({ name, part }: Collector): boolean {
  return part !== undefined && builtInParts.get(name) === part;
}
