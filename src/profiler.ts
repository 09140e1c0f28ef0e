/** Watches requests, keeps a record of each, and gives them back by their token. `Profiler` says how it is wired. */
export { recordSchema, type ProfileRecord, type RecordBucket } from './profiler/model/profile-record.js';
export { recordJsonSchema } from './profiler/api/record-json-schema.js';
export type { ProfileSummary } from './profiler/model/profile-summary.js';
export type { ProfileCondition, ProfileList, ProfileNews } from './profiler/model/profile-query.js';
export type { ProfileQuery, ProfileSort, ProfileTest } from './profiler/model/profile-query.js';
export { durationClass, durationQuantile, type ProfileTotals } from './profiler/model/profile-totals.js';
export type { StoreTotals, TotalsGroup, TotalsQuery } from './profiler/model/profile-totals.js';
export { parseQuery, type ParsedQuery } from './profiler/query/parse-query.js';
export type { QueryProblem, QueryTerm } from './profiler/query/parse-query.js';
export type { ParseOptions } from './profiler/query/query-fields.js';
export type { CollectedField } from './profiler/model/collected-field.js';
export type { PruneReason, RecordLookup } from './profiler/model/record-lookup.js';
export type { DropReason, ProfilerCounters, StoreState } from './profiler/model/profiler-state.js';
export type { BeginOptions, Profiler, RecordSink } from './profiler/model/profiler.js';
export type { ControllerNote, Recording, RouteNote } from './profiler/model/recording.js';
export type { Collector } from './profiler/model/collector.js';
export type { AbsentRecord, Lease, ProcessAccount, ProcessCounts } from './profiler/model/profile-store.js';
export type { ProfileStore, Retention, Segment, StoreNews } from './profiler/model/profile-store.js';
export type { StoreNewsOrder, StorePage, StoreSearch, StoreTally } from './profiler/model/profile-store.js';
export type { StoreTotalsOrder, StoredRecord, StoredSummary } from './profiler/model/profile-store.js';
export type { Form, SectionPart, SummaryField } from './profiler/model/section-part.js';
export type { ColumnFact, SegmentFacts } from './profiler/model/segment-facts.js';
export { timeCategories } from './profiler/model/time-breakdown.js';
export type { TimeBreakdown, TimeCategory, TimelineEntry } from './profiler/model/time-breakdown.js';
export { breakdownOf } from './profiler/form/time-breakdown.js';
export { findingsOf, type RecordFinding } from './profiler/findings/findings-of.js';
export { startSpan, withSpan, type OwnSpan, type SpanAttributes } from './profiler/taps/start-span.js';
export { createProfilerPages, type ProfilerRoute } from './profiler/web/create-profiler-pages.js';
export type { ProfilerPagesOptions } from './profiler/web/profiler-pages-options.js';
export { createAccessGuard } from './profiler/web/access/access.js';
export type { AccessGuard, AccessOptions, PageAccess } from './profiler/web/access/access.js';
export {
  addToolbar,
  isPageRequest,
  joinRedirect,
  serverTiming,
} from './profiler/web/toolbar/response-fields.js';
export { icons as panelIcons } from './profiler/panels/blocks/icons.js';
export type { Panel, PanelBadge, PanelContext } from './profiler/panels/panel.js';
export type { Block, TableColumn, FilterLink, Finding, Metric } from './profiler/panels/blocks/block.js';
export type { RichValue, Row, Span, Tone, Value } from './profiler/panels/blocks/block.js';
export { checkSqliteFile, openArchive, readPage, repairSqliteFile } from './profiler/archive/archive.js';
export { repeatableRequest, toFetchRequest } from './profiler/api/repeatable-request.js';
export { createDbCollector } from './profiler/collectors/create-db-collector.js';
export { dbLimits, type DbSection } from './profiler/collectors/db-section.js';
export { createProfiler } from './profiler/create-profiler.js';
export type { ProfilerOptions } from './profiler/profiler-options.js';
export { createMemoryStore } from './profiler/store/create-memory-store.js';
export { signSample, type SampleOptions } from './profiler/watch/sampling.js';
export { registerSpan, type SpanKind } from './profiler/form/span-registry.js';
export { createRecordingObserver } from './profiler/taps/create-recording-observer.js';
export { createRecordingLogHandler } from './profiler/taps/create-recording-log-handler.js';
export { currentRecording, dumpValue, requestRecording } from './profiler/taps/current-recording.js';
export { createSqliteStore, type SqliteStoreOptions } from './profiler/store/sqlite/create-sqlite-store.js';
export { createStore } from './profiler/store/create-store.js';
export { isStoreAddress, storeNameOf } from './profiler/store/store-name.js';
export { createHeaderCollector } from './profiler/collectors/create-header-collector.js';
export { createRenderCollector } from './profiler/collectors/create-render-collector.js';
export { createSecurityCollector } from './profiler/collectors/create-security-collector.js';
export { createTranslationCollector } from './profiler/collectors/create-translation-collector.js';
export type { ListeningCollector } from './profiler/collectors/create-channel-collector.js';
export { dbPanel } from './profiler/panels/db-panel.js';
export { nextSpan, parseTraceparent, renderTraceparent, traceOf } from './profiler/watch/request-trace.js';
export { createOutgoingCollectors } from './profiler/collectors/outgoing/outgoing-collectors.js';
