/** Records requests, stores the records, and finds them by token. `Profiler` documents how to integrate it. */
export { recordSchema, type ProfileRecord, type TimelineEntry } from './profiler/model/profile-record.js';
export type { RecordBucket } from './profiler/model/profile-record.js';
export { recordJsonSchema } from './profiler/api/record-json-schema.js';
export { durationClass, labelledFields, type ProfileSummary } from './profiler/model/profile-summary.js';
export type { ProfileCondition, ProfileList, ProfileNews } from './profiler/model/profile-query.js';
export type { ProfileQuery, ProfileSort, ProfileTest } from './profiler/model/profile-query.js';
export { durationQuantile, type ProfileTotals } from './profiler/model/profile-query.js';
export type { TotalsGroup, TotalsQuery } from './profiler/model/profile-query.js';
export { parseQuery, parseSort, type ParsedQuery } from './profiler/query/parse-query.js';
export type { ParseOptions, QueryProblem, QueryTerm } from './profiler/query/parse-query.js';
export type { AbsentRecord, FoundRecord, PruneReason, RecordLookup } from './profiler/model/record-lookup.js';
export type { BeginOptions, DropReason, Profiler, ProfilerCounters } from './profiler/model/profiler.js';
export type { QueryExplainer, StoreState } from './profiler/model/profiler.js';
export type { ControllerNote, Recording, RouteNote } from './profiler/model/recording.js';
export type { Budget, Budgets, Collector, RequestEnd } from './profiler/model/collector.js';
export type { FinishedRecord, Retention, StorePage } from './profiler/tables/record-store.js';
export type { RecordStore, StoreAnswer, StoreChange, StoreWrite } from './profiler/tables/record-store.js';
export type { StoreOptions, StoreSearch, StoreTally, StoreTarget } from './profiler/tables/record-store.js';
export type { CollectedField, SectionPart, SummaryField } from './profiler/model/section-part.js';
export { formatMilliseconds } from './profiler/words/format.js';
export { breakdownOf, timeCategories } from './profiler/model/time-breakdown.js';
export type { TimeBreakdown, TimeCategory } from './profiler/model/time-breakdown.js';
export { findingsOf, problemsOf, type RecordFinding } from './profiler/findings/findings-of.js';
export { startSpan, withSpan, type OwnSpan, type SpanAttributes } from './profiler/observe/start-span.js';
export { createProfilerPages, type ProfilerRoute } from './profiler/pages/create-profiler-pages.js';
export type { ProfilerPagesOptions } from './profiler/pages/site/profiler-site.js';
export { createAccessGuard, forwardedMark, isClientHidden } from './profiler/pages/access/access.js';
export type {
  AccessGuard,
  AccessOptions,
  AccessSetting,
  PageAccess,
} from './profiler/pages/access/access.js';
export { WithheldNotices } from './profiler/pages/access/withheld-notices.js';
export type { AccessSettingNames, WithheldOutput } from './profiler/pages/access/withheld-notices.js';
export { addToolbar, beginToolbar, hasToolbar } from './profiler/pages/toolbar/add-toolbar.js';
export { recordFields } from './profiler/pages/toolbar/response-fields.js';
export type { Panel, PanelContext } from './profiler/panels/panel.js';
export type { Block, FilterLink, Finding, Metric, RichValue } from './profiler/panels/blocks/block.js';
export type { PanelBadge, Row, Span, TableColumn, Tone, Value } from './profiler/panels/blocks/block.js';
export { openArchive } from './profiler/archive/archive.js';
export { readPage } from './profiler/archive/page-text.js';
export { readRecords } from './profiler/archive/parse-records.js';
export { replayRequest } from './profiler/api/replay.js';
export { dbPanel } from './profiler/panels/db-panel.js';
export { createDbCollector } from './profiler/collectors/create-db-collector.js';
export { dbLimits, type DbSection } from './profiler/collectors/db-section.js';
export { createProfiler } from './profiler/create-profiler.js';
export type { ProfilerOptions } from './profiler/profiler-options.js';
export { signSample, type SampleOptions } from './profiler/tape/sampling.js';
export { registerSpan, type SpanKind } from './profiler/tape/span-list.js';
export { createRecordingLogHandler, currentRecording } from './profiler/observe/current-recording.js';
export { dumpValue, requestRecording } from './profiler/observe/current-recording.js';
export { openStore } from './profiler/tables/open-store.js';
export { isStoreAddress, storeNameOf } from './profiler/tables/store-name.js';
export { createRecordingObserver, noteHeaderWrite } from './profiler/observe/create-recording-observer.js';
export { headerCallerOf, type HeaderCaller } from './profiler/observe/create-recording-observer.js';
export { createHeaderCollector } from './profiler/collectors/create-header-collector.js';
export { createRenderCollector } from './profiler/collectors/create-render-collector.js';
export { createSecurityCollector } from './profiler/collectors/create-security-collector.js';
export { createTranslationCollector } from './profiler/collectors/create-translation-collector.js';
export type { ListeningCollector } from './profiler/collectors/create-channel-collector.js';
export { adoptTrace, parseTraceparent } from './profiler/model/request-trace.js';
export { nextSpan, renderTraceparent, traceOf } from './profiler/model/request-trace.js';
export { createOutgoingCollectors } from './profiler/collectors/outgoing/outgoing-collectors.js';
export { recordReports, type RecordReport } from './profiler/api/record-reports.js';
