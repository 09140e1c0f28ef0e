import { ForbiddenError } from '#errors';
import type { HttpRequest, HttpResponse } from '#http';
import { requestRoute } from '#http';
import { runInScope } from '#scope';
import { createAccessGuard } from './access/access.js';
import type { ProfilerPages } from './open-profiler-pages.js';
import type { DataFormat } from './site/links.js';
import type { ProfilerPagesOptions } from './profiler-pages-options.js';

/** A route as data, for the application's route table. */
export interface ProfilerRoute {
  readonly name: string;
  readonly path: string;
  readonly methods: readonly ['GET'] | readonly ['POST'];
  readonly requirements: Readonly<Record<string, string>>;
  readonly controller: (request: HttpRequest) => Promise<HttpResponse>;
}

type DeclarePage = (
  name: string,
  path: readonly [string, ProfilerRoute['requirements']],
  show: (pages: ProfilerPages, request: HttpRequest) => HttpResponse | Promise<HttpResponse>,
) => ProfilerRoute;

const dataFormats: readonly DataFormat[] = [
  'json',
  'md',
  'har',
  'curl',
  'fetch',
  'test',
  'vitest',
  'cpuprofile',
];

/**
 * The profiler's pages as routes: `_profiler_home` (list), `_profiler_compare` (two records), `_profiler_data` (`.json`,
 * `.md`) and `_profiler` (one record; `?panel=`). All are GET but
 * `_profiler_replay`, `_profiler_purge`, `_profiler_mark`, `_profiler_explain` and `_profiler_filters`, and stand behind the access guard: who may not look makes them throw a
 * `ForbiddenError`, whose page outside debug reveals nothing. Put them before routes that could take their paths; the
 * order among them matters too.
 */
export function createProfilerPages(options: ProfilerPagesOptions): readonly ProfilerRoute[] {
  const prefix = options.prefix ?? '/_profiler';
  const access = options.access ?? createAccessGuard();
  let opened: ProfilerPages | undefined;
  const declare = (
    methods: ProfilerRoute['methods'],
    ...[name, [path, requirements], show]: Parameters<DeclarePage>
  ): ProfilerRoute => ({
    name,
    path: `${prefix}/${path}`,
    methods,
    requirements,
    controller: async (request) => {
      const decision = access(request);
      if (!decision.allowed)
        throw new ForbiddenError(`The profiler is closed to this client: ${decision.reason}.`);
      const { openProfilerPages } = await import('./open-profiler-pages.js'); // loaded with the first page
      opened ??= openProfilerPages(options, prefix);
      return runInScope(request.scope, show, opened, request);
    },
  });
  const get: DeclarePage = (...page) => declare(['GET'], ...page);
  const post: DeclarePage = (...page) => declare(['POST'], ...page);
  return [
    get('_profiler_home', ['', {}], (pages, request) => pages.list(request)),
    get('_profiler_routes', ['routes', {}], (pages, request) => pages.routes(request)),
    get('_profiler_live', ['live', {}], (pages, request) => pages.live(request)),
    get('_profiler_errors', ['errors', {}], (pages, request) => pages.errors(request)),
    get('_profiler_toolbar_script', ['toolbar.js', {}], (pages) => pages.toolbarScript()),
    get('_profiler_toolbar', ['{token}/toolbar', { token: '[^/]+' }], (pages, request) =>
      pages.toolbar(request, parameter(request, 'token')),
    ),
    get('_profiler_compare_marked', ['compare', {}], (pages, request) => pages.compare(request, [])),
    get(
      '_profiler_compare',
      ['compare/{first}/{second}', { first: '[^/]+', second: '[^/]+' }],
      (pages, request) => pages.compare(request, [parameter(request, 'first'), parameter(request, 'second')]),
    ),
    ...createDataRoutes(get),
    post('_profiler_purge', ['{bucket}/purge', { bucket: 'app|profiler' }], (pages, request) =>
      pages.purge(request, parameter(request, 'bucket') === 'app' ? 'app' : 'profiler'),
    ),
    post('_profiler_filters', ['filters', {}], (pages, request) => pages.filters(request)),
    post('_profiler_mark', ['{token}/mark', { token: '[^/]+' }], (pages, request) =>
      pages.mark(request, parameter(request, 'token')),
    ),
    post('_profiler_replay', ['{token}/replay', { token: '[^/]+' }], (pages, request) =>
      pages.replay(request, parameter(request, 'token')),
    ),
    post('_profiler_explain', ['{token}/explain', { token: '[^/]+' }], (pages, request) =>
      pages.explain(request, parameter(request, 'token')),
    ),
    get('_profiler', ['{token}', { token: '[^/]+' }], (pages, request) =>
      pages.record(request, parameter(request, 'token')),
    ),
  ];
}

function createDataRoutes(get: DeclarePage): readonly ProfilerRoute[] {
  return [
    get('_profiler_schema', ['schema.json', {}], (pages) => pages.schema()),
    get('_profiler_search', ['search.{_format}', { _format: 'json|har' }], (pages, request) =>
      pages.search(request, parameter(request, '_format') === 'har' ? 'har' : 'json'),
    ),
    get(
      '_profiler_panel_data',
      ['{token}/{panel}.json', { token: '[^/]+', panel: '[^/.]+' }],
      (pages, request) =>
        pages.panelData(request, { token: parameter(request, 'token'), panel: parameter(request, 'panel') }),
    ),
    get(
      '_profiler_data',
      ['{token}.{_format}', { token: '[^/.]+', _format: dataFormats.join('|') }],
      (pages, request) => {
        const format = dataFormats.find((name) => name === parameter(request, '_format')) ?? 'json';
        return pages.data(request, { token: parameter(request, 'token'), format });
      },
    ),
  ];
}

function parameter(request: HttpRequest, name: string): string {
  const value = request.scope.get(requestRoute)?.parameters[name];
  return typeof value === 'string' ? value : '';
}
