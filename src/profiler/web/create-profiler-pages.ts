import { createEditorLinker, createSourceLoader, ForbiddenError, type SourceLoader } from '#errors';
import type { HttpRequest, HttpResponse } from '#http';
import { requestRoute } from '#http';
import { builtinPanels } from '../panels/builtin-panels.js';
import { createMorePanel } from '../panels/more-panel.js';
import type { Panel } from '../panels/panel.js';
import type { KeptAtMost } from '../panels/state-blocks.js';
import { type AccessGuard, createAccessGuard } from './access.js';
import { createProfilerLinks } from './links.js';
import { createMissLimiter } from './miss-limiter.js';
import type { ProfileReader } from './profile-reader.js';
import type { ProfilerSite } from './profiler-site.js';
import { showData } from './show-data.js';
import { showList } from './show-list.js';
import { showRecord } from './show-record.js';

/** What the pages stand on. */
export interface ProfilerPagesOptions {
  readonly reader: ProfileReader;
  /** Who may open them; by default only this machine's own browser. */
  readonly access?: AccessGuard;
  /** Panels beside or in place of the built-in ones: one with the `id` of another takes its place. */
  readonly panels?: readonly Panel[];
  /** `LOOKBACK_IDE`: an editor's name or an address template, with path maps (see `createEditorLinker`). */
  readonly editor?: string;
  /** Where sources are looked up; a loader of their own by default. */
  readonly sources?: SourceLoader;
  /** Bounds of what is kept, to be shown beside the counters. */
  readonly retention?: KeptAtMost;
  /** `/_profiler`. */
  readonly prefix?: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A route as data, for the application's route table. */
export interface ProfilerRoute {
  readonly name: string;
  readonly path: string;
  readonly methods: readonly ['GET'];
  readonly requirements: Readonly<Record<string, string>>;
  readonly controller: (request: HttpRequest) => Promise<HttpResponse>;
}

/**
 * The profiler's pages as routes: `_profiler_home` (list), `_profiler_data` (`.json`, `.md`) and `_profiler` (one
 * record; `?panel=`). All are GET and stand behind the access guard: who may not look makes them throw a
 * `ForbiddenError`, whose page outside debug tells nothing. Put them before routes that could take their paths; the
 * order among them matters too.
 */
export function createProfilerPages(options: ProfilerPagesOptions): readonly ProfilerRoute[] {
  const prefix = options.prefix ?? '/_profiler';
  const site: ProfilerSite = {
    reader: options.reader,
    links: createProfilerLinks(prefix),
    panels: mergePanels(options.panels ?? []),
    misses: createMissLimiter(),
    editor: createEditorLinker(options.editor),
    sources: options.sources ?? createSourceLoader(),
    retention: options.retention,
    now: options.now ?? Date.now,
  };
  const access = options.access ?? createAccessGuard();
  const guarded =
    (
      show: (site: ProfilerSite, request: HttpRequest) => Promise<HttpResponse>,
    ): ProfilerRoute['controller'] =>
    async (request) => {
      const decision = access(request);
      if (decision.allowed) return show(site, request);
      throw new ForbiddenError(`The profiler is closed to this client: ${decision.reason}.`);
    };
  const parameter = (request: HttpRequest, name: string): string => {
    const value = request.scope.get(requestRoute)?.parameters[name];
    return typeof value === 'string' ? value : '';
  };
  return [
    {
      name: '_profiler_home',
      path: `${prefix}/`,
      methods: ['GET'],
      requirements: {},
      controller: guarded(showList),
    },
    {
      name: '_profiler_data',
      path: `${prefix}/{token}.{_format}`,
      methods: ['GET'],
      requirements: { token: '[^/.]+', _format: 'json|md' },
      controller: guarded((pages, request) =>
        showData(pages, request, {
          token: parameter(request, 'token'),
          format: parameter(request, '_format') === 'md' ? 'md' : 'json',
        }),
      ),
    },
    {
      name: '_profiler',
      path: `${prefix}/{token}`,
      methods: ['GET'],
      requirements: { token: '[^/]+' },
      controller: guarded((pages, request) => showRecord(pages, request, parameter(request, 'token'))),
    },
  ];
}

function mergePanels(own: readonly Panel[]): readonly Panel[] {
  const panels = new Map(builtinPanels.map((panel) => [panel.id, panel]));
  for (const panel of own) panels.set(panel.id, panel);
  return [...panels.values(), createMorePanel([...panels.values()])];
}
