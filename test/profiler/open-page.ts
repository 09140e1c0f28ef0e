import assert from 'node:assert/strict';
import { HttpRequest, type HttpResponse, requestRoute } from '#core/http';
import { createProfilerPages, type ProfilerPagesOptions } from '#profiler';

/** The text of a page's body; fails the test if there is no page. */
export function bodyOf(response: HttpResponse | undefined): string {
  assert.ok(response, 'no route for this URL');
  assert.equal(typeof response.body, 'string');
  return typeof response.body === 'string' ? response.body : '';
}

/** Opens profiler pages by path without a socket; undefined for a path without a route. */
export type OpenPage = (target: string, init?: OpenInit) => Promise<HttpResponse | undefined>;

export interface OpenInit {
  readonly headers?: readonly string[];
  readonly peer?: string;
  readonly host?: string;
}

export function createOpenPage(options: ProfilerPagesOptions): OpenPage {
  const pages = createProfilerPages(options);
  return async (target, init = {}) => {
    const request = new HttpRequest({
      method: 'GET',
      target,
      rawHeaders: ['Host', init.host ?? 'localhost', ...(init.headers ?? [])],
      httpVersion: '1.1',
      peer: { address: init.peer ?? '127.0.0.1', port: 50_000, encrypted: false },
    });
    for (const page of pages) {
      const parameters = matchPath(page.path, page.requirements, request.path);
      if (parameters === undefined) continue;
      request.scope.set(requestRoute, { name: page.name, path: page.path, parameters });
      return page.controller(request);
    }
    return undefined;
  };
}

function matchPath(
  path: string,
  requirements: Readonly<Record<string, string>>,
  asked: string,
): Readonly<Record<string, string>> | undefined {
  const pattern = path
    .replaceAll('.', '\\.')
    .replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${requirements[name] ?? '[^/]+'})`);
  return new RegExp(`^${pattern}$`, 's').exec(asked)?.groups ?? (pattern === asked ? {} : undefined);
}
