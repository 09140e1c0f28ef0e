import { createEditorLinker, createSourceLoader } from '#core/errors';
import type { HttpRequest, HttpResponse } from '#core/http';
import { overviewPanel } from '../sections/overview/panel.js';
import type { Panel } from '../sections/panel.js';
import { createMorePanel, ownPanel } from '../sections/section-panel.js';
import { shownSections } from '../sections/shown.js';
import { explainQuery, markRecord, purgeRecords, replayRecord, seeOther } from './record/record-actions.js';
import { Missing, renderMiss } from './record/get-record.js';
import { type DataFormat, ProfilerLinks } from './site/links.js';
import { type PageName } from './page-paths.js';
import { showFramed } from './shell/shell.js';
import type { ProfilerPagesOptions, ProfilerSite } from './site/profiler-site.js';
import { showComparison } from './record/show-comparison.js';
import { showData, showSchema, showSearch } from './record/show-data.js';
import { countErrors, showErrors, showRoutes } from './list/totals-page.js';
import { LiveSubscribers, showLive } from './list/show-live.js';
import { showList } from './list/list-page.js';
import { showRecord } from './record/show-record.js';
import { takeBrowserReport } from './toolbar/take-browser-report.js';
import { showToolbar, showToolbarScript } from './toolbar/show-toolbar.js';

/** The built-in panels in menu order. */
export const builtinPanels: readonly Panel[] = [overviewPanel, ...shownSections];

/** Creates a page's response; `parameter` returns a path parameter. */
type ShowPage = (
  request: HttpRequest,
  parameter: (name: string) => string,
) => HttpResponse | Promise<HttpResponse>;

/** The pages by route name, loaded when a process shows its first page. */
export type ProfilerPages = Readonly<Record<PageName, ShowPage>>;

export function openProfilerPages(options: ProfilerPagesOptions, prefix: string): ProfilerPages {
  const site = createSite(options, prefix);
  const followers = new LiveSubscribers();
  const data =
    (show: ShowPage, form: 'page' | 'data' = 'data') =>
    async (...[request, parameter]: Parameters<ShowPage>): Promise<HttpResponse> => {
      try {
        return await show(request, parameter);
      } catch (error) {
        const miss = Missing.of(error);
        if (miss === undefined) throw error;
        return renderMiss(site, miss, request.query.get('format') === 'md' ? 'data' : form);
      }
    };
  const page =
    (show: ShowPage): ShowPage =>
    (request, parameter) =>
      showFramed(
        request,
        () => data(show, 'page')(request, parameter),
        () => countErrors(site),
      );
  const ofRecord = (
    show: (site: ProfilerSite, request: HttpRequest, token: string) => Promise<HttpResponse>,
  ): ShowPage => page((request, parameter) => show(site, request, parameter('token')));
  return {
    _profiler_home: page((request) => showList(site, request)),
    _profiler_routes: page(() => showRoutes(site)),
    _profiler_live: data((request) => showLive(site, request, followers)),
    _profiler_errors: page(() => showErrors(site)),
    _profiler_toolbar_script: showToolbarScript,
    _profiler_toolbar: (_request, parameter) => showToolbar(site, parameter('token')),
    _profiler_compare_marked: page((request) => showComparison(site, request, [])),
    _profiler_compare: page((request, parameter) =>
      showComparison(site, request, [parameter('first'), parameter('second')]),
    ),
    _profiler_schema: showSchema,
    _profiler_search: data((request, parameter) =>
      showSearch(site, request, parameter('_format') === 'har' ? 'har' : 'json'),
    ),
    _profiler_data: data((request, parameter) => {
      const format = parameter('_format') as DataFormat; // guaranteed by the route's requirements
      return showData(site, request, { token: parameter('token'), format });
    }),
    _profiler_purge: page((request, parameter) =>
      purgeRecords(site, request, parameter('origin') === 'app' ? 'app' : 'profiler'),
    ),
    _profiler_mark: ofRecord(markRecord),
    _profiler_replay: ofRecord(replayRecord),
    _profiler_explain: ofRecord(explainQuery),
    _profiler_browser: data((request, parameter) => takeBrowserReport(site, request, parameter('token'))),
    // The address bar shows an action's path, which may then be reloaded, bookmarked or shared.
    _profiler_purge_page: () => seeOther(site.links.list()),
    _profiler_action_page: (_request, parameter) => {
      const panel = parameter('action') === 'explain' ? { panel: 'db' } : {};
      return seeOther(site.links.record(parameter('token'), panel));
    },
    _profiler: ofRecord(showRecord),
  };
}

function createSite(options: ProfilerPagesOptions, prefix: string): ProfilerSite {
  const own = (options.sections ?? []).flatMap((section) => ownPanel(section) ?? []);
  const panels = new Map([...builtinPanels, ...own].map((panel) => [panel.id, panel]));
  return {
    ...options,
    links: new ProfilerLinks(prefix),
    panels: [...panels.values(), createMorePanel([...panels.values()])],
    editor: createEditorLinker(options.editor),
    sources: options.sources ?? createSourceLoader(),
    now: options.now ?? Date.now,
  };
}
