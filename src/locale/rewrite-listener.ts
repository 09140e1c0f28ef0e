import type { HttpRequest } from '#http';
import { requestLocale } from '#http';
import type { KernelListener } from '#kernel';
import { kernelListener, kernelPriority, requestEvent, routeFinder, routingOutcome } from '#kernel';
import { findEnabled } from './negotiate-locale.js';

export interface RewriteOptions {
  readonly enabled: readonly string[];
  readonly isOn: boolean;
}

/**
 * Sends a GET or HEAD whose path has no route to the same path below its locale, where that has one. The redirect is
 * noted like any outcome, so the steps after it still run. A path that begins with a locale already is left alone, so
 * that no redirect can lead to another.
 */
export function createRewriteListener(options: RewriteOptions): KernelListener {
  return kernelListener(
    requestEvent,
    ({ request }) => {
      const location = options.isOn ? findLocalised(request, options.enabled) : undefined;
      if (location === undefined) return;
      request.scope.set(routingOutcome, { kind: 'redirect', location, status: 302, by: 'locale rewrite' });
    },
    { name: 'locale rewrite', priority: kernelPriority.request.rewrite },
  );
}

function findLocalised(request: HttpRequest, enabled: readonly string[]): string | undefined {
  const { method, scope } = request;
  if (scope.getOwn(routingOutcome)?.kind !== 'not-found' || (method !== 'GET' && method !== 'HEAD'))
    return undefined;
  const [locale, find] = [scope.get(requestLocale), scope.get(routeFinder)];
  if (locale === undefined || find === undefined || beginsWithLocale(request.path, enabled)) return undefined;
  // The locale stands in front of the path as it was sent, so the target always begins with a name of ours.
  const target = find(request, `/${locale}${request.path}`);
  if (target.kind === 'match') return withQuery(`/${locale}${request.rawPath}`, request);
  // A route without the slash at its end: straight there, rather than over its own redirect.
  const { path } = request;
  const bare = path.endsWith('/') && find(request, `/${locale}${path.slice(0, -1)}`).kind === 'match';
  return bare ? withQuery(`/${locale}${request.rawPath.replace(/(?:\/|%2f)$/i, '')}`, request) : undefined;
}

function beginsWithLocale(path: string, enabled: readonly string[]): boolean {
  const first = path.split('/', 2)[1] ?? '';
  return findEnabled(first, enabled) !== undefined;
}

/** A backslash in a path is a character like others to a route, and a slash to browsers: it travels encoded. */
function withQuery(rawPath: string, request: HttpRequest): string {
  const path = rawPath.replaceAll('\\', '%5C');
  return request.rawQuery === '' ? path : `${path}?${request.rawQuery}`;
}
