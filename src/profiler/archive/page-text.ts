import { HttpRequest, requestRoute } from '#http';
import { createProfilerPages } from '../web/create-profiler-pages.js';
import type { ProfileReader } from '../web/site/profiler-site.js';

/** The page to show. */
export interface PageTextOptions {
  readonly format: 'json' | 'md' | 'har';
  /** Of Markdown, only the panels with these ids, with commas between them. */
  readonly panel?: string | undefined;
  /** Not the record itself, but how it differs from the one of this token, as Markdown. */
  readonly against?: string;
}

/** A page as text; where there is none, a problem document (RFC 9457) with the status that says why. */
export interface PageText {
  readonly status: number;
  readonly text: string;
}

/** A record as the data that the profiler's pages return: the same text for every client. */
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
