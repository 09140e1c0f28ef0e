import { createEditorLinker, createSourceLoader } from '#errors';
import type { HttpRequest, HttpResponse } from '#http';
import { builtinPanels } from '../panels/builtin-panels.js';
import { createMorePanel } from '../panels/more-panel.js';
import type { Panel } from '../panels/panel.js';
import { createProfilerLinks } from './site/links.js';
import { createMissLimiter } from './access/miss-limiter.js';
import type { ProfilerPagesOptions } from './profiler-pages-options.js';
import type { ProfilerSite } from './site/profiler-site.js';
import { showData } from './record/show-data.js';
import { showList } from './list/show-list.js';
import { showRecord } from './record/show-record.js';

/** The pages behind the routes. Only a process that shows one loads them. */
export interface ProfilerPages {
  list(request: HttpRequest): Promise<HttpResponse>;
  data(request: HttpRequest, wanted: { token: string; format: 'md' | 'json' }): Promise<HttpResponse>;
  record(request: HttpRequest, token: string): Promise<HttpResponse>;
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
    now: options.now ?? Date.now,
  };
  return {
    list: (request) => showList(site, request),
    data: (request, wanted) => showData(site, request, wanted),
    record: (request, token) => showRecord(site, request, token),
  };
}

function mergePanels(own: readonly Panel[]): readonly Panel[] {
  const panels = new Map(builtinPanels.map((panel) => [panel.id, panel]));
  for (const panel of own) panels.set(panel.id, panel);
  return [...panels.values(), createMorePanel([...panels.values()])];
}
