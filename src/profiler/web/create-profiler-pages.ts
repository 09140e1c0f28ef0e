import {
  anObject,
  callable,
  checkOptions,
  listOf,
  type OptionsSchema,
  optionsSchema,
  required,
} from '#core/options';
import { ForbiddenError } from '#core/errors';
import { type HttpRequest, type HttpResponse, requestRoute } from '#core/http';
import { editorName, pathPrefix, retentionSchema, sectionSchema } from '../option-schemas.js';
import type { RetentionBounds } from '../view/state-blocks.js';
import { createAccessGuard } from './access/access.js';
import type { ProfilerPages } from './open-profiler-pages.js';
import { type PageName, pagePaths } from './page-paths.js';
import type { ProfilerPagesOptions } from './site/profiler-site.js';

/** A route as data, for the application's route table. */
export interface ProfilerRoute {
  readonly name: string;
  readonly path: string;
  readonly methods: readonly ['GET' | 'POST'];
  readonly requirements: Readonly<Record<string, string>>;
  readonly controller: (request: HttpRequest) => Promise<HttpResponse>;
}

/** Maximum base paths. A process is usually reached under one, rarely under a few. */
const maxBasePaths = 16;

export const profilerPagesSchema: OptionsSchema<ProfilerPagesOptions> = optionsSchema<ProfilerPagesOptions>({
  reader: required(anObject()),
  access: callable(),
  sections: listOf(sectionSchema),
  editor: editorName,
  sources: anObject(),
  replay: callable(),
  explainer: anObject(),
  retention: optionsSchema<RetentionBounds>(
    {
      records: required(retentionSchema.types.records),
      failures: retentionSchema.types.failures,
      ageDays: required(retentionSchema.types.ageDays),
      bytes: required(retentionSchema.types.bytes),
    },
    { isOpen: true },
  ),
  prefix: pathPrefix,
  now: callable(),
});

/**
 * Creates the profiler's pages as routes: `_profiler_home` (list), `_profiler_compare` (two records), `_profiler_data`
 * (`.json`, `.md`) and `_profiler` (one record; `?panel=`). All are GET except `_profiler_replay`, `_profiler_purge`,
 * `_profiler_mark` and `_profiler_explain`. The access guard protects all of them: for a client without access they
 * throw a `ForbiddenError`, whose page reveals nothing outside debug mode. Place them before routes that could match
 * their paths, and keep their order.
 */
export function createProfilerPages(options: ProfilerPagesOptions): readonly ProfilerRoute[] {
  checkOptions('createProfilerPages()', options, profilerPagesSchema);
  const prefix = options.prefix ?? '/_profiler';
  const access = options.access ?? createAccessGuard();
  const opened = new Map<string, ProfilerPages>(); // keyed by the base path of their links
  return Object.entries(pagePaths).map(([name, [method, path, requirements]]) => ({
    name,
    path: `${prefix}/${path}`,
    methods: [method],
    requirements,
    controller: async (request) => {
      const decision = access(request);
      if (!decision.allowed)
        throw new ForbiddenError(`The profiler is closed to this client: ${decision.reason}.`);
      const { openProfilerPages } = await import('./open-profiler-pages.js'); // loaded with the first page
      const { basePath } = request;
      let pages = opened.get(basePath);
      if (pages === undefined) {
        if (opened.size >= maxBasePaths) opened.clear();
        opened.set(basePath, (pages = openProfilerPages(options, basePath + prefix)));
      }
      const show = pages[name as PageName]; // a `pagePaths` key
      return show(request, (key) => parameter(request, key));
    },
  }));
}

function parameter(request: HttpRequest, name: string): string {
  const value = request.scope.get(requestRoute)?.parameters[name];
  return typeof value === 'string' ? value : '';
}
