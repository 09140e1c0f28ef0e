/** Records requests, stores the records, and finds them by token. `Profiler` documents how to integrate it. */
export { recordSchema, type ProfileRecord, type RecordBucket } from './profiler/model/profile-record.js';
export { recordJsonSchema } from './profiler/api/record-json-schema.js';
export type { ProfileSummary } from './profiler/model/profile-summary.js';
export type { ProfileCondition, ProfileList, ProfileNews } from './profiler/model/profile-query.js';
export type { ProfileQuery, ProfileSort, ProfileTest } from './profiler/model/profile-query.js';
export { durationClass, durationQuantile, type ProfileTotals } from './profiler/model/profile-totals.js';
export type { TotalsGroup, TotalsQuery } from './profiler/model/profile-totals.js';
export { parseQuery, type ParsedQuery } from './profiler/query/parse-query.js';
export type { ParseOptions, QueryProblem, QueryTerm } from './profiler/query/parse-query.js';
export type { PruneReason, RecordLookup } from './profiler/model/record-lookup.js';
export type { DropReason, ProfilerCounters, StoreState } from './profiler/model/profiler-state.js';
export type { BeginOptions, Profiler, QueryExplainer, RecordSink } from './profiler/model/profiler.js';
export type { ControllerNote, Recording, RouteNote, TimePart } from './profiler/model/recording.js';
export type { Budget, Budgets, Collector, RequestEnd } from './profiler/model/collector.js';
export type { AbsentRecord, FinishedRecord, FoundRecord } from './profiler/tables/record-store.js';
export type { ProcessAccount, ProcessCounts, RecordStore } from './profiler/tables/record-store.js';
export type { Retention, StoreAnswer, StoreChange, StoreOptions } from './profiler/tables/record-store.js';
export type { StorePage, StoreSearch, StoreTally, StoreTarget } from './profiler/tables/record-store.js';
export type { StoreTotals, StoreWrite } from './profiler/tables/record-store.js';
export type { CollectedField, SectionPart, SummaryField } from './profiler/model/section-part.js';
export { timeCategories } from './profiler/model/time-breakdown.js';
export type { TimeBreakdown, TimeCategory, TimelineEntry } from './profiler/model/time-breakdown.js';
export { breakdownOf } from './profiler/record/time-breakdown.js';
export { findingsOf, problemsOf, type RecordFinding } from './profiler/findings/findings-of.js';
export { startSpan, withSpan, type OwnSpan, type SpanAttributes } from './profiler/taps/start-span.js';
export { createProfilerPages, type ProfilerRoute } from './profiler/web/create-profiler-pages.js';
export type { ProfilerPagesOptions } from './profiler/web/profiler-pages-options.js';
export { createAccessGuard, forwardedMark, isClientHidden } from './profiler/web/access/access.js';
export type { AccessGuard, AccessOptions, PageAccess } from './profiler/web/access/access.js';
export { addToolbar, recordFields } from './profiler/web/toolbar/response-fields.js';
export type { Panel, PanelContext } from './profiler/panels/panel.js';
export type { Block, FilterLink, Finding, Metric, RichValue } from './profiler/panels/blocks/block.js';
export type { PanelBadge, Row, Span, TableColumn, Tone, Value } from './profiler/panels/blocks/block.js';
export { openArchive } from './profiler/archive/archive.js';
export { readPage } from './profiler/archive/page-text.js';
export { readRecords } from './profiler/archive/read-records.js';
export { replayRequest } from './profiler/api/replay.js';
export { dbPanel } from './profiler/panels/db-panel.js';
export { createDbCollector } from './profiler/collectors/create-db-collector.js';
export { dbLimits, type DbSection } from './profiler/collectors/db-section.js';
export { createProfiler } from './profiler/create-profiler.js';
export type { ProfilerOptions } from './profiler/profiler-options.js';
export { signSample, type SampleOptions } from './profiler/tape/sampling.js';
export { registerSpan, type SpanKind } from './profiler/tape/span-registry.js';
export { createRecordingObserver } from './profiler/taps/create-recording-observer.js';
export { createRecordingLogHandler, currentRecording } from './profiler/taps/current-recording.js';
export { dumpValue, requestRecording } from './profiler/taps/current-recording.js';
export { openStore } from './profiler/tables/open-store.js';
export { isStoreAddress, storeNameOf } from './profiler/tables/store-name.js';
export { noteHeaderWrite } from './profiler/taps/header-follower.js';
export { createHeaderCollector } from './profiler/collectors/create-header-collector.js';
export { createRenderCollector } from './profiler/collectors/create-render-collector.js';
export { createSecurityCollector } from './profiler/collectors/create-security-collector.js';
export { createTranslationCollector } from './profiler/collectors/create-translation-collector.js';
export type { ListeningCollector } from './profiler/collectors/create-channel-collector.js';
export {
  adoptTrace,
  nextSpan,
  parseTraceparent,
  renderTraceparent,
  traceOf,
} from './profiler/tape/request-trace.js';
export { createOutgoingCollectors } from './profiler/collectors/outgoing/outgoing-collectors.js';
export { countedColumns, reportCounts, reportErrors } from './profiler/api/record-reports.js';
export { reportLogs, reportRoutes, type CountedColumn } from './profiler/api/record-reports.js';
