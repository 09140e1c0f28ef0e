import { HttpRequest, requestRoute } from '#core/http';
import { createProfilerPages } from '../create-profiler-pages.js';
import type { ProfileReader } from '../site/profiler-site.js';

export interface PageTextOptions {
  readonly format: 'json' | 'md' | 'har';
  /** For Markdown: comma-separated ids of the panels to include. */
  readonly panel?: string | undefined;
  /** Another record's token. If set, returns the differences from it as Markdown instead of the record itself. */
  readonly against?: string;
}

/** A page as text, or a problem document (RFC 9457) with the matching status if there is no such page. */
export interface PageText {
  readonly status: number;
  readonly text: string;
}

/** Renders a record as the same text that the profiler's pages return to clients. */
export async function readPage(
  reader: ProfileReader,
  token: string,
  { format, panel, against }: PageTextOptions,
): Promise<PageText> {
  const pages = createProfilerPages({ reader, access: () => ({ allowed: true }) });
  const name = against === undefined ? '_profiler_data' : '_profiler_compare';
  const query = new URLSearchParams(against === undefined ? {} : { format: 'md' });
  if (panel !== undefined) query.set('panel', panel);
  const request = new HttpRequest({
    method: 'GET',
    target: `/_profiler/page?${query.toString()}`,
    rawHeaders: ['Host', 'localhost'],
    httpVersion: '1.1',
    peer: { address: undefined, port: 0, encrypted: false },
  });
  const parameters = against === undefined ? { token, _format: format } : { first: token, second: against };
  request.scope.set(requestRoute, { name, path: '', parameters });
  const response = await pages.find((page) => page.name === name)?.controller(request);
  return { status: response?.status ?? 500, text: typeof response?.body === 'string' ? response.body : '' };
}
