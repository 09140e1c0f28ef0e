import { createEditorLinker, createSourceLoader } from '#errors';
import type { HttpRequest, HttpResponse } from '#http';
import { builtinPanels } from './builtin-panels.js';
import { createMorePanel } from '../panels/section-panel.js';
import type { Panel } from '../panels/panel.js';
import { explainQuery, markRecord, purgeRecords } from './actions/record-actions.js';
import { replayRecord } from './actions/replay-record.js';
import { renderMiss } from './render-miss.js';
import { Missing } from './lookup/get-record.js';
import { type DataFormat, ProfilerLinks } from './site/links.js';
import { type PageName } from './page-paths.js';
import type { ProfilerPagesOptions } from './profiler-pages-options.js';
import { showFramed } from './site/pane.js';
import type { ProfilerSite } from './site/profiler-site.js';
import { showComparison } from './compare/show-comparison.js';
import { showData, showSchema, showSearch } from './record/show-data.js';
import { showErrors, showRoutes } from './list/totals-page.js';
import { LiveSubscribers } from './live/live-subscribers.js';
import { showLive } from './live/show-live.js';
import { showList } from './list/show-list.js';
import { showRecord } from './record/show-record.js';
import { showToolbar, showToolbarScript } from './toolbar/show-toolbar.js';

/** Creates the response of a page; `parameter` returns a path parameter. */
type ShowPage = (
  request: HttpRequest,
  parameter: (name: string) => string,
) => HttpResponse | Promise<HttpResponse>;

/** The pages by route name. They are loaded when a process shows its first page. */
export type ProfilerPages = Readonly<Record<PageName, ShowPage>>;

export function openProfilerPages(options: ProfilerPagesOptions, prefix: string): ProfilerPages {
  const site = createSite(options, prefix);
  const followers = new LiveSubscribers(site.reader);
  const answering =
    (show: ShowPage, form: 'page' | 'data'): ShowPage =>
    async (request, parameter) => {
      try {
        return await show(request, parameter);
      } catch (error) {
        const miss = Missing.of(error);
        if (miss === undefined) throw error;
        return renderMiss(site, miss, request.query.get('format') === 'md' ? 'data' : form);
      }
    };
  const data = (show: ShowPage): ShowPage => answering(show, 'data');
  const page = (show: ShowPage): ShowPage => {
    const answer = answering(show, 'page');
    return (request, parameter) => showFramed(request, () => answer(request, parameter));
  };
  return {
    _profiler_home: page((request) => showList(site, request)),
    _profiler_routes: page(() => showRoutes(site)),
    _profiler_live: page((request) => showLive(site, request, followers)),
    _profiler_errors: page(() => showErrors(site)),
    _profiler_toolbar_script: showToolbarScript,
    _profiler_toolbar: data((_request, parameter) => showToolbar(site, parameter('token'))),
    _profiler_compare_marked: page((request) => showComparison(site, request, [])),
    _profiler_compare: page((request, parameter) =>
      showComparison(site, request, [parameter('first'), parameter('second')]),
    ),
    _profiler_schema: showSchema,
    _profiler_search: data((request, parameter) =>
      showSearch(site, request, parameter('_format') === 'har' ? 'har' : 'json'),
    ),
    _profiler_data: data((request, parameter) => {
      const format = parameter('_format') as DataFormat; // guaranteed by the requirements of the route
      return showData(site, request, { token: parameter('token'), format });
    }),
    _profiler_purge: page((request, parameter) =>
      purgeRecords(site, request, parameter('bucket') === 'app' ? 'app' : 'profiler'),
    ),
    _profiler_mark: page((request, parameter) => markRecord(site, request, parameter('token'))),
    _profiler_replay: page((request, parameter) => replayRecord(site, request, parameter('token'))),
    _profiler_explain: page((request, parameter) => explainQuery(site, request, parameter('token'))),
    _profiler: page((request, parameter) => showRecord(site, request, parameter('token'))),
  };
}

function createSite(options: ProfilerPagesOptions, prefix: string): ProfilerSite {
  return {
    ...options,
    links: new ProfilerLinks(prefix),
    panels: mergePanels(options.panels ?? []),
    editor: createEditorLinker(options.editor),
    sources: options.sources ?? createSourceLoader(),
    now: options.now ?? Date.now,
  };
}

function mergePanels(own: readonly Panel[]): readonly Panel[] {
  const panels = new Map(builtinPanels.map((panel) => [panel.id, panel]));
  for (const panel of own) panels.set(panel.id, panel);
  return [...panels.values(), createMorePanel([...panels.values()])];
}
