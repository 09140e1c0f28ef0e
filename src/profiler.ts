/** Watches requests, keeps a record of each, and gives them back by their token. */
export { recordSchema } from './profiler/model/profile-record.js';
export type {
  NamedPicture,
  ProfileRecord,
  RecordBucket,
  RecordedController,
  RecordedCost,
  RecordedEvent,
  RecordedLimit,
  RecordedListener,
  RecordedLog,
  RecordedRoute,
  RecordedRuntime,
  RecordedSpan,
} from './profiler/model/profile-record.js';
export type {
  RecordedBody,
  RecordedCookie,
  RecordedHeaders,
  RecordedRequest,
  RecordedResponse,
} from './profiler/model/recorded-message.js';
export type { ProfileSummary } from './profiler/model/profile-summary.js';
export type { ProfileList, ProfileQuery } from './profiler/model/profile-query.js';
export type { PruneReason, RecordLookup } from './profiler/model/record-lookup.js';
export type { DropReason, ProfilerCounters, StoreState } from './profiler/model/profiler-state.js';
export type { Profiler } from './profiler/model/profiler.js';
export type { ControllerNote, Recording, RouteNote } from './profiler/model/recording.js';
export type { Collector } from './profiler/model/collector.js';
export type {
  Lease,
  ProfileStore,
  Retention,
  Segment,
  StoredPlace,
  StoreTally,
} from './profiler/model/profile-store.js';
export { createProfilerPages } from './profiler/web/create-profiler-pages.js';
export type { ProfilerPagesOptions, ProfilerRoute } from './profiler/web/create-profiler-pages.js';
export { createAccessGuard } from './profiler/web/access.js';
export type { AccessDecision, AccessGuard, AccessOptions } from './profiler/web/access.js';
export { builtinPanels } from './profiler/panels/builtin-panels.js';
export { icons as panelIcons } from './profiler/panels/icons.js';
export type { Panel, PanelBadge, PanelContext } from './profiler/panels/panel.js';
export type * from './profiler/panels/block.js';
export { dbPanel } from './profiler/panels/db-panel.js';
export { createDbCollector } from './profiler/collectors/create-db-collector.js';
export type { DbCollector, DbCollectorOptions } from './profiler/collectors/create-db-collector.js';
export type { DbSection } from './profiler/collectors/db-section.js';
