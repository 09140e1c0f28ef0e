import { type HttpRequest, requestLocale, requestRoute } from '#http';
import {
  type KernelListener,
  kernelListener,
  kernelPriority,
  requestEvent,
  responseEvent,
  routeFinder,
  routingOutcome,
} from '#kernel';
import { createScopeKey, currentScope, type ScopeKey } from '#scope';
import { localeErrors } from './error-codes.js';
import { createNegotiation, findEnabled } from './negotiate-locale.js';
import type { StoredLocale } from './stored-locale.js';

/** Which languages there are and how one is chosen. */
export interface LocaleOptions {
  /** Locales in which the application answers (BCP 47), the preferred one first. */
  readonly enabled: readonly string[];
  /** Used if nothing else decides; default the first enabled one. */
  readonly default?: string;
  /** Where a visitor's own choice is looked for, in this order. Default: nowhere. */
  readonly stored?: readonly StoredLocale[];
  /** Whether paths without a route are tried with a locale in front. Default: with more than one locale. */
  readonly rewrite?: boolean;
  /** Whether answers name their language (`Content-Language`). Default true. */
  readonly contentLanguage?: boolean;
}

/** The locale steps, as an extension of an application. */
export interface Locale {
  readonly name: 'locale';
  readonly enabled: readonly string[];
  readonly default: string;
  readonly listeners: readonly KernelListener[];
  /** What would be chosen for a request by everything but its route. */
  negotiate(request: HttpRequest): string;
}

/** Headers for which the answer would have been another with another value: which `Vary` names for caches. */
const consultedHeaders: ScopeKey<readonly string[]> = createScopeKey<readonly string[]>(
  'headers that choose the locale',
);

/**
 * Sets the locale of every request: `_locale` of the route, otherwise the stored choice, otherwise Accept-Language,
 * otherwise the default. Throws `LOCALE_MALFORMED` or `LOCALE_DEFAULT_NOT_ENABLED`.
 */
export function createLocale(options: LocaleOptions): Locale {
  const enabled = options.enabled.map(checkTag);
  const fallback = options.default === undefined ? (enabled[0] ?? 'en') : checkTag(options.default);
  if (!enabled.includes(fallback)) {
    throw localeErrors.create('LOCALE_DEFAULT_NOT_ENABLED', {
      locale: fallback,
      enabled: enabled.join(', '),
    });
  }
  const stores = options.stored ?? [];
  const stored = (request: HttpRequest): string | undefined => readStored(request, stores, enabled);
  // A choice that was found hides the header, but without it the header would have decided: a cache has to know both.
  const headers = [...stores.flatMap(({ vary }) => vary ?? []), 'Accept-Language'];
  const negotiate = createNegotiation(enabled, fallback);
  const byHeader = (request: HttpRequest): string =>
    enabled.length < 2 ? fallback : negotiate(request.headers.get('accept-language'));

  function decide(request: HttpRequest): string {
    const ofRoute = request.scope.get(requestRoute)?.parameters['_locale'];
    const declared = typeof ofRoute === 'string' ? findEnabled(ofRoute, enabled) : undefined;
    if (declared !== undefined) return declared;
    if (enabled.length > 1) request.scope.set(consultedHeaders, headers);
    return stored(request) ?? byHeader(request);
  }

  const listeners = [
    kernelListener(requestEvent, ({ request }) => request.scope.set(requestLocale, decide(request)), {
      name: 'locale',
      priority: kernelPriority.request.locale,
    }),
    createRewriteListener(enabled, options),
    ...(options.contentLanguage === false ? [] : [contentLanguageListener]),
  ];
  return {
    name: 'locale',
    enabled,
    default: fallback,
    listeners,
    negotiate: (request) => stored(request) ?? byHeader(request),
  };
}

const contentLanguageListener: KernelListener = kernelListener(
  responseEvent,
  ({ request, response }) => {
    const locale = request.scope.get(requestLocale);
    if (locale !== undefined && !response.headers.has('content-language'))
      response.headers.append('Content-Language', locale);
    for (const header of request.scope.getOwn(consultedHeaders) ?? noHeaders)
      response.headers.addToken('Vary', header);
  },
  { name: 'content language', priority: kernelPriority.response.contentLanguage },
);

const noHeaders: readonly never[] = [];

function readStored(
  request: HttpRequest,
  stores: readonly StoredLocale[],
  enabled: readonly string[],
): string | undefined {
  for (const store of stores) {
    const choice = store.read(request);
    const locale = choice === undefined ? undefined : findEnabled(choice, enabled);
    if (locale !== undefined) return locale;
  }
  return undefined;
}

function checkTag(tag: string): string {
  try {
    const canonical = Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0];
    if (canonical !== undefined) return canonical;
  } catch {
    // said below
  }
  throw localeErrors.create('LOCALE_MALFORMED', { locale: tag });
}

/** The locale of the request that this code runs for; `fallback` outside any. */
export function activeLocale(fallback = 'en'): string {
  return currentScope()?.get(requestLocale) ?? fallback;
}

/**
 * Sends a GET or HEAD whose path has no route to the same path below its locale, where that has one. The redirect is
 * noted like any outcome, so the steps after it still run. A path that begins with a locale already is left alone, so
 * that no redirect can lead to another.
 */
function createRewriteListener(
  enabled: readonly string[],
  { rewrite = enabled.length > 1 }: LocaleOptions,
): KernelListener {
  return kernelListener(
    requestEvent,
    ({ request }) => {
      const location = rewrite ? findLocalised(request, enabled) : undefined;
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
