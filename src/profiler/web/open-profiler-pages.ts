import { createEditorLinker, createSourceLoader } from '#errors';
import type { HttpRequest, HttpResponse } from '#http';
import { builtinPanels } from './builtin-panels.js';
import { createMorePanel } from '../panels/more-panel.js';
import type { RecordBucket } from '../model/profile-record.js';
import type { Panel } from '../panels/panel.js';
import { explainQuery } from './actions/explain-query.js';
import { markRecord, saveFilter } from './actions/mark-record.js';
import { purgeRecords } from './actions/purge-records.js';
import { replayRecord } from './actions/replay-record.js';
import { createProfilerLinks, type DataFormat } from './site/links.js';
import { createMissLimiter } from './access/miss-limiter.js';
import type { ProfilerPagesOptions } from './profiler-pages-options.js';
import { preparePage } from './site/prepare-page.js';
import type { ProfilerSite } from './site/profiler-site.js';
import { showComparison } from './compare/show-comparison.js';
import { showData, showPanelData, showSchema, showSearch } from './record/show-data.js';
import { showErrors, showRoutes } from './list/totals-page.js';
import { LiveSubscribers } from './live/live-subscribers.js';
import { showLive } from './live/show-live.js';
import { showList } from './list/show-list.js';
import { showRecord } from './record/show-record.js';
import { showToolbar, showToolbarScript } from './toolbar/show-toolbar.js';

/** The pages behind the routes. Only a process that shows one loads them. */
export interface ProfilerPages {
  list(request: HttpRequest): Promise<HttpResponse>;
  /** What the list gains, as server-sent events. */
  live(request: HttpRequest): HttpResponse;
  data(request: HttpRequest, wanted: { token: string; format: DataFormat }): Promise<HttpResponse>;
  panelData(request: HttpRequest, wanted: { token: string; panel: string }): Promise<HttpResponse>;
  search(request: HttpRequest, format: 'json' | 'har'): Promise<HttpResponse>;
  schema(): HttpResponse;
  /** Counts by route, and of errors by class and place. */
  routes(request: HttpRequest): Promise<HttpResponse>;
  errors(request: HttpRequest): Promise<HttpResponse>;
  record(request: HttpRequest, token: string): Promise<HttpResponse>;
  /** Two records beside each other; without names, those that the query's `t` name. */
  compare(request: HttpRequest, names: readonly string[]): Promise<HttpResponse>;
  toolbar(request: HttpRequest, token: string): Promise<HttpResponse>;
  toolbarScript(): HttpResponse;
  replay(request: HttpRequest, token: string): Promise<HttpResponse>;
  purge(request: HttpRequest, bucket: RecordBucket): Promise<HttpResponse>;
  mark(request: HttpRequest, token: string): Promise<HttpResponse>;
  explain(request: HttpRequest, token: string): Promise<HttpResponse>;
  filters(request: HttpRequest): Promise<HttpResponse>;
}

export function openProfilerPages(options: ProfilerPagesOptions, prefix: string): ProfilerPages {
  const site: ProfilerSite = {
    reader: options.reader,
    links: createProfilerLinks(prefix),
    panels: mergePanels(options.panels ?? []),
    misses: createMissLimiter(),
    editor: createEditorLinker(options.editor),
    sources: options.sources ?? createSourceLoader(),
    retention: options.retention,
    replay: options.replay,
    explainer: options.explainer,
    now: options.now ?? Date.now,
  };
  const followers = new LiveSubscribers(site.reader);
  return {
    list: async (request) => preparePage(request, prefix) ?? showList(site, request),
    routes: async (request) => preparePage(request, prefix) ?? showRoutes(site),
    errors: async (request) => preparePage(request, prefix) ?? showErrors(site),
    live: (request) => preparePage(request, prefix) ?? showLive(site, request, followers),
    data: (request, wanted) => showData(site, request, wanted),
    compare: async (request, names) => preparePage(request, prefix) ?? showComparison(site, request, names),
    panelData: (request, wanted) => showPanelData(site, request, wanted),
    search: (request, format) => showSearch(site, request, format),
    schema: showSchema,
    record: async (request, token) => preparePage(request, prefix) ?? showRecord(site, request, token),
    toolbar: async (request, token) => preparePage(request, prefix) ?? showToolbar(site, request, token),
    toolbarScript: showToolbarScript,
    replay: async (request, token) => preparePage(request, prefix) ?? replayRecord(site, request, token),
    mark: async (request, token) => preparePage(request, prefix) ?? markRecord(site, request, token),
    explain: async (request, token) => preparePage(request, prefix) ?? explainQuery(site, request, token),
    filters: async (request) => preparePage(request, prefix) ?? saveFilter(site, request),
    purge: async (request, bucket) => preparePage(request, prefix) ?? purgeRecords(site, request, bucket),
  };
}

function mergePanels(own: readonly Panel[]): readonly Panel[] {
  const panels = new Map(builtinPanels.map((panel) => [panel.id, panel]));
  for (const panel of own) panels.set(panel.id, panel);
  return [...panels.values(), createMorePanel([...panels.values()])];
}
