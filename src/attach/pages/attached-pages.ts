import { type HttpRequest, HttpResponse, requestRoute } from '#http';
import type { ProfilerPagesOptions, ProfilerRoute } from '#profiler';
import { createProfilerPages } from '#profiler';
import type { CompiledRoutes } from '#routing';

/** The profiler's pages on the port of another server. */
export interface AttachedPages {
  /** Whether the path belongs to the profiler's pages. */
  has(request: HttpRequest): boolean;
  /** Returns the requested page. The caller must have checked access. */
  respond(request: HttpRequest): Promise<HttpResponse>;
}

/** Creates the pages. Their code and the router are loaded when the first page is opened. */
export function createAttachedPages(
  options: ProfilerPagesOptions & { readonly prefix: string },
): AttachedPages {
  const { prefix } = options;
  let opened: Promise<(request: HttpRequest) => Promise<HttpResponse>> | undefined;
  return {
    has: ({ rawPath }) => rawPath === prefix || rawPath.startsWith(`${prefix}/`),
    async respond(request) {
      let response: HttpResponse;
      try {
        opened ??= openPages(options);
        response = await (await opened)(request);
      } catch (error) {
        response = HttpResponse.text(`The page could not be made: ${nameOf(error)}\n`, { status: 500 });
      }
      response.headers.set('Cache-Control', 'no-store');
      return response;
    },
  };
}

async function openPages(
  options: ProfilerPagesOptions,
): Promise<(request: HttpRequest) => Promise<HttpResponse>> {
  const { compileRoutes, createRoutes, matchRoute } = await import('#routing');
  const pages = createProfilerPages(options);
  const compiled: CompiledRoutes = compileRoutes(
    createRoutes(pages.map(({ controller, ...page }) => ({ ...page, target: controller }))),
  );
  return async (request) => {
    const { method, path, rawQuery } = request;
    const found = matchRoute(compiled, { method, path });
    if (found.kind === 'redirect') {
      const location = rawQuery === '' ? found.path : `${found.path}?${rawQuery}`;
      return new HttpResponse(null, { status: 302, headers: { Location: location } });
    }
    if (found.kind === 'not-found') return HttpResponse.text('There is no such page.\n', { status: 404 });
    if (found.kind === 'method-not-allowed') {
      const allow = found.allow.join(', ');
      return HttpResponse.text(`This page takes ${allow}.\n`, { status: 405, headers: { Allow: allow } });
    }
    const { route, parameters } = found;
    request.scope.set(requestRoute, { name: route.name, path: route.path, parameters });
    const controller = route.target as ProfilerRoute['controller']; // every route was created from a page
    return controller(request);
  };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
