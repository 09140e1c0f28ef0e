import { ForbiddenError } from '#errors';
import type { HttpRequest, HttpResponse } from '#http';
import { requestRoute } from '#http';
import { createAccessGuard } from './access/access.js';
import type { ProfilerPages } from './open-profiler-pages.js';
import type { ProfilerPagesOptions } from './profiler-pages-options.js';

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
  const access = options.access ?? createAccessGuard();
  let opened: ProfilerPages | undefined;
  const guarded =
    (
      show: (pages: ProfilerPages, request: HttpRequest) => Promise<HttpResponse>,
    ): ProfilerRoute['controller'] =>
    async (request) => {
      const decision = access(request);
      if (!decision.allowed)
        throw new ForbiddenError(`The profiler is closed to this client: ${decision.reason}.`);
      const { openProfilerPages } = await import('./open-profiler-pages.js'); // loaded with the first page
      opened ??= openProfilerPages(options, prefix);
      return show(opened, request);
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
      controller: guarded((pages, request) => pages.list(request)),
    },
    {
      name: '_profiler_data',
      path: `${prefix}/{token}.{_format}`,
      methods: ['GET'],
      requirements: { token: '[^/.]+', _format: 'json|md' },
      controller: guarded((pages, request) =>
        pages.data(request, {
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
      controller: guarded((pages, request) => pages.record(request, parameter(request, 'token'))),
    },
  ];
}
