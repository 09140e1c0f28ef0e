/** Records requests, stores the records, and finds them by token. `Profiler` documents how to integrate it. */
export { recordSchema, type ProfileRecord, type TimelineEntry } from './profiler/model/profile-record.js';
export type { RecordOrigin } from './profiler/model/profile-record.js';
export { recordJsonSchema } from './profiler/web/reports/record-json-schema.js';
export { durationClass, labelledFields, type ProfileSummary } from './profiler/model/profile-summary.js';
export type { ProfileCondition, ProfileList, ProfileNews } from './profiler/model/profile-query.js';
export type { ProfileQuery, ProfileSort, ProfileTest } from './profiler/model/profile-query.js';
export { durationQuantile, type ProfileTotals } from './profiler/model/profile-query.js';
export type { TotalsGroup, TotalsQuery } from './profiler/model/profile-query.js';
export { parseQuery, parseSort, type ParsedQuery } from './profiler/search/parse-query.js';
export type { ParseOptions, QueryProblem, QueryTerm } from './profiler/search/parse-query.js';
export type { AbsentRecord, FoundRecord, PruneReason, RecordLookup } from './profiler/model/record-lookup.js';
export type { BeginOptions, DropReason, Profiler, ProfilerCounters } from './profiler/model/profiler.js';
export type { QueryExplainer, StoreState } from './profiler/model/profiler.js';
export type { ControllerNote, Recording, RouteNote } from './profiler/model/recording.js';
export type { Budget, Budgets, RequestEnd, Section } from './profiler/sections/section.js';
export type { SectionFinding, SectionNumber, SectionPanel } from './profiler/sections/section.js';
export type { DbSection } from './profiler/sections/database/queries.js';
export type { FinishedRecord, StorePage } from './profiler/storage/tables/record-store.js';
export type {
  RecordStore,
  StoreAnswer,
  StoreChange,
  StoreWrite,
} from './profiler/storage/tables/record-store.js';
export type {
  StoreOptions,
  StoreSearch,
  StoreTally,
  StoreTarget,
} from './profiler/storage/tables/record-store.js';
export type { CollectedField } from './profiler/sections/section.js';
export { formatAge, formatMilliseconds } from './profiler/model/formatting.js';
export { breakdownOf, timeCategories } from './profiler/model/time-breakdown.js';
export type { TimeBreakdown, TimeCategory } from './profiler/model/time-breakdown.js';
export { findingsOf, problemsOf, type RecordFinding } from './profiler/sections/findings-of.js';
export { startSpan, withSpan, type OwnSpan, type SpanAttributes } from './profiler/recording/start-span.js';
export { findErrorFacts } from './profiler/search/find-error-facts.js';
export type { ErrorFacts } from './profiler/web/record/read-error-facts.js';
export { createProfilerPages, type ProfilerRoute } from './profiler/web/create-profiler-pages.js';
export type { ProfilerPagesOptions } from './profiler/web/site/profiler-site.js';
export type { Retention } from './profiler/storage/tables/retention.js';
export { createAccessGuard, forwardedMark, isClientHidden } from './profiler/web/access/access.js';
export type { AccessGuard, AccessSetting, PageAccess } from './profiler/web/access/access.js';
export type { AccessOptions } from './profiler/web/access/access-options.js';
export { WithheldNotices } from './profiler/web/access/withheld-notices.js';
export type { AccessSettingNames, WithheldOutput } from './profiler/web/access/withheld-notices.js';
export { addToolbar, beginToolbar, hasToolbar } from './profiler/web/toolbar/add-toolbar.js';
export { recordFields } from './profiler/web/toolbar/response-fields.js';
export type { Panel, PanelContext, SectionGroup } from './profiler/sections/panel.js';
export type { Block, FilterLink, Finding, Metric, RichValue } from './profiler/view/block.js';
export type { PanelBadge, Row, Span, TableColumn, Tone, Value } from './profiler/view/block.js';
export { openArchive } from './profiler/web/archive/archive.js';
export { readPage } from './profiler/web/archive/page-text.js';
export { readRecords } from './profiler/web/archive/parse-records.js';
export { replayRequest } from './profiler/web/reports/replay.js';
export { createProfiler } from './profiler/create-profiler.js';
export type { ProfilerOptions } from './profiler/profiler-options.js';
export type { BegunRequest, IgnoreRule } from './profiler/recording/ignored-requests.js';
export { signSample, type SampleOptions } from './profiler/recording/sampling.js';
export { registerSpan, type SpanKind } from './profiler/recording/span-list.js';
export { createRecordingLogHandler, currentRecording } from './profiler/recording/current-recording.js';
export { dumpValue, requestRecording } from './profiler/recording/current-recording.js';
export type { DeclaredRoute, DeclaredRoutes } from './profiler/model/declared-routes.js';
export { openStore } from './profiler/storage/tables/open-store.js';
export { isStoreAddress, storeNameOf } from './profiler/storage/tables/store-name.js';
export { createRecordingObserver, noteHeaderWrite } from './profiler/recording/create-recording-observer.js';
export { headerCallerOf, type HeaderCaller } from './profiler/recording/create-recording-observer.js';
export { adoptTrace, isNearbyAddress, parseTraceparent } from './profiler/model/request-trace.js';
export { nextSpan, renderTraceparent, traceOf } from './profiler/model/request-trace.js';
export { recordReports, type RecordReport } from './profiler/web/reports/record-reports.js';
export { loadTools } from './profiler/web/tools/load-tools.js';
export type {
  KnownApplication,
  KnownRoutes,
  RecordSource,
  Tool,
  ToolRecords,
} from './profiler/web/tools/tool.js';
export { createScopeKey, currentScope, type Scope, type ScopeKey } from '#core/scope';
