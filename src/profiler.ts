/**
 * Watches requests, keeps a record of each, and gives them back by their token.
 *
 * How a framework wires it:
 *   profiler = createProfiler({ store: createStore(address), storeName: address, redactor, flatten, config, onState })
 *   on request:    recording = profiler.begin(request, { bucket, parent }); request.scope.set(requestRecording, recording)
 *   dispatcher:    createDispatcher(createRecordingObserver()), given to the kernel: stages and listeners with their times
 *   logger:        createRecordingLogHandler() among the handlers
 *   after routing: recording.route({ name, path, names, trace: (request) => explainMatch(...), allow }, parameters)
 *   controller:    recording.controller({ name, file, line }, args, described); enter/leave with a span of registerSpan
 *   thrown:        recording.error(thrown, report) with the report that the error page shows
 *   streams:       recording.responseBody(chunk); other bodies, and what was read of the request's, are found by themselves
 *   last byte:     profiler.finish(recording, response, sent); collectors look into the request's scope now
 *   at the end:    await profiler.close(); profiler.counters() adds up
 */
export { recordSchema } from './profiler/model/profile-record.js';
export type { ProfileRecord, RecordBucket } from './profiler/model/profile-record.js';
export type { ProfileSummary } from './profiler/model/profile-summary.js';
export type { ProfileList, ProfileQuery } from './profiler/model/profile-query.js';
export type { PruneReason, RecordLookup } from './profiler/model/record-lookup.js';
export type { DropReason, ProfilerCounters, StoreState } from './profiler/model/profiler-state.js';
export type { Profiler } from './profiler/model/profiler.js';
export type { ControllerNote, Recording, RouteNote } from './profiler/model/recording.js';
export type { Collector } from './profiler/model/collector.js';
export type { Lease, ProfileStore, Retention, Segment, StorePage } from './profiler/model/profile-store.js';
export type { AbsentRecord, StoredRecord, StoredSummary } from './profiler/model/profile-store.js';
export type { StoreSearch, StoreTally } from './profiler/model/profile-store.js';
export type { Form, SectionPart, SummaryField } from './profiler/model/section-part.js';
export type { ColumnFact, SegmentFacts } from './profiler/model/segment-facts.js';
export { createProfilerPages } from './profiler/web/create-profiler-pages.js';
export type { ProfilerRoute } from './profiler/web/create-profiler-pages.js';
export type { ProfilerPagesOptions } from './profiler/web/profiler-pages-options.js';
export { createAccessGuard } from './profiler/web/access/access.js';
export type { AccessDecision, AccessGuard, AccessOptions } from './profiler/web/access/access.js';
export { builtinPanels } from './profiler/panels/builtin-panels.js';
export { icons as panelIcons } from './profiler/panels/blocks/icons.js';
export type { Panel, PanelBadge, PanelContext } from './profiler/panels/panel.js';
export type { Block, Column, FilterLink, Finding, Metric } from './profiler/panels/blocks/block.js';
export type { RichValue, Row, Span, Tone, Value } from './profiler/panels/blocks/block.js';
export { createDbCollector } from './profiler/collectors/create-db-collector.js';
export type { DbCollector, DbCollectorOptions } from './profiler/collectors/create-db-collector.js';
export { dbLimits } from './profiler/collectors/db-section.js';
export type { DbSection } from './profiler/collectors/db-section.js';
export { createProfiler } from './profiler/create-profiler.js';
export type { ProfilerOptions } from './profiler/create-profiler.js';
export { createMemoryStore } from './profiler/store/create-memory-store.js';
export { registerSpan } from './profiler/form/span-registry.js';
export type { SpanKind } from './profiler/form/span-registry.js';
export { createRecordingObserver } from './profiler/taps/create-recording-observer.js';
export { createRecordingLogHandler } from './profiler/taps/create-recording-log-handler.js';
export { currentRecording, requestRecording } from './profiler/taps/current-recording.js';
export { createSqliteStore } from './profiler/store/sqlite/create-sqlite-store.js';
export type { SqliteStoreOptions } from './profiler/store/sqlite/create-sqlite-store.js';
export { createStore, defaultStoreAddress } from './profiler/store/create-store.js';
export { createSecurityCollector } from './profiler/collectors/create-security-collector.js';
export { createTranslationCollector } from './profiler/collectors/create-translation-collector.js';
export type { ListeningCollector } from './profiler/collectors/create-channel-collector.js';
export { dbPanel } from './profiler/panels/db-panel.js';
