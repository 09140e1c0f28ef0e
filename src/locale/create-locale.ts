import { defineErrorCodes, type ErrorCodes, refuseUnknownOptions } from '#coded-error';
import {
  type HttpRequest,
  requestLocale,
  requestRoute,
  type HttpResponse,
  locationOf,
  renderCookie,
} from '#http';
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
import { findEnabled, negotiateLocale } from './negotiate-locale.js';

/** The locales of an application, and how one is chosen for a request. */
export interface LocaleOptions {
  /** Supported locales (BCP 47), the preferred one first. */
  readonly enabled: readonly string[];
  /** Locale to use if nothing else decides. Default: the first enabled one. */
  readonly default?: string;
  /** Sources of a choice stored for the visitor, in this order. Default: none. */
  readonly stored?: readonly StoredLocale[];
  /**
   * Whether a path without a route is tried again with a locale as its prefix. Default: true with more than one locale.
   */
  readonly rewrite?: boolean;
  /** Whether responses have a `Content-Language` header. Default true. */
  readonly contentLanguage?: boolean;
}

/** The locale support, as an extension of an application. */
export interface Locale {
  readonly name: 'locale';
  readonly enabled: readonly string[];
  readonly default: string;
  readonly listeners: readonly KernelListener[];
}

/** Request headers that the choice of the locale depends on, which are added to `Vary` for caches. */
const consultedHeaders: ScopeKey<readonly string[]> = createScopeKey<readonly string[]>(
  'headers that choose the locale',
);

/**
 * Sets the locale of every request: `_locale` of the route, otherwise the stored choice, otherwise Accept-Language,
 * otherwise the default. Throws `LOCALE_MALFORMED` or `LOCALE_DEFAULT_NOT_ENABLED`.
 */
export function createLocale(options: LocaleOptions): Locale {
  refuseUnknownOptions('createLocale()', options, 'enabled default stored rewrite contentLanguage');
  const enabled = options.enabled.map(checkTag);
  const fallback = options.default === undefined ? (enabled[0] ?? 'en') : checkTag(options.default);
  if (!enabled.includes(fallback)) {
    throw localeErrors.create('LOCALE_DEFAULT_NOT_ENABLED', {
      locale: fallback,
      enabled: enabled.join(', '),
    });
  }
  const stores = options.stored ?? [];
  // `Vary` needs Accept-Language even if a stored choice decides: requests without a stored choice depend on it.
  const headers = [...stores.flatMap(({ vary }) => vary ?? []), 'Accept-Language'];
  function decide(request: HttpRequest): string {
    const ofRoute = (request.scope.get(requestRoute)?.parameters ?? parametersByMethod(request))['_locale'];
    const declared = typeof ofRoute === 'string' ? findEnabled(ofRoute, enabled) : undefined;
    if (declared !== undefined) return declared;
    if (enabled.length < 2) return fallback;
    request.scope.set(consultedHeaders, headers);
    const accepted = request.headers.get('accept-language');
    return (
      readStored(request, stores, enabled) ?? negotiateLocale(accepted, enabled, { fallback }) ?? fallback
    );
  }

  const listeners = [
    kernelListener(requestEvent, ({ request }) => request.scope.set(requestLocale, decide(request)), {
      name: 'locale',
      priority: kernelPriority.request.locale,
    }),
    createRewriteListener(enabled, options),
    ...(options.contentLanguage === false ? [] : [contentLanguageListener]),
  ];
  return { name: 'locale', enabled, default: fallback, listeners };
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

/** Returns the parameters of the route that has the path of a request, but not its method. */
function parametersByMethod(request: HttpRequest): Readonly<Record<string, unknown>> {
  const outcome = request.scope.getOwn(routingOutcome);
  if (outcome?.kind !== 'method-not-allowed') return {};
  const found = request.scope.get(routeFinder)?.(request, request.path, outcome.allow[0]);
  return found?.kind === 'match' ? found.parameters : {};
}

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
    // an invalid tag is reported below
  }
  throw localeErrors.create('LOCALE_MALFORMED', { locale: tag });
}

/** Returns the locale of the current request, or `fallback` outside of requests. */
export function activeLocale(fallback = 'en'): string {
  return currentScope()?.get(requestLocale) ?? fallback;
}

/**
 * Creates the listener that redirects an unmatched GET or HEAD request to the same path with the locale as its prefix, if
 * that path has a route. The redirect is set as the routing outcome, so that later listeners still run. A path that already
 * starts with a locale is not redirected, which prevents redirect chains.
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
  // The target always starts with an enabled locale, so that it cannot name another host.
  const target = find(request, `/${locale}${request.path}`);
  if (target.kind === 'match') return locationOf(`/${locale}${request.rawPath}`, request.rawQuery);
  // If only the path without the trailing slash has a route, redirects there directly instead of through a second redirect.
  const { path } = request;
  const bare = path.endsWith('/') && find(request, `/${locale}${path.slice(0, -1)}`).kind === 'match';
  const barePath = request.rawPath.replace(/(?:\/|%2f)$/i, '');
  return bare ? locationOf(`/${locale}${barePath}`, request.rawQuery) : undefined;
}

function beginsWithLocale(path: string, enabled: readonly string[]): boolean {
  const first = path.split('/', 2)[1] ?? '';
  return findEnabled(first, enabled) !== undefined;
}

/** Port: a source of the language stored for a visitor (cookie, session, account). */
export interface StoredLocale {
  /** Name in records: `cookie`, `session`, `user`. */
  readonly name: string;
  /** Request header that is read, which is added to `Vary`: `Cookie`. Omit it if no shared cache stores the responses. */
  readonly vary?: string;
  /** Returns the stored choice; anything other than an enabled locale is ignored. */
  read(request: HttpRequest): string | undefined;
}

const secondsOfAYear = 365 * 24 * 3600;

/** Creates a source that reads the choice from a cookie. */
export function cookieLocale(name = 'locale'): StoredLocale {
  return { name: 'cookie', vary: 'Cookie', read: (request) => request.cookies.get(name) };
}

/** Stores a choice in the cookie that `cookieLocale` reads, for one year. */
export function localeCookie(response: HttpResponse, locale: string, name = 'locale'): void {
  response.headers.append('Set-Cookie', renderCookie(name, locale, { maxAge: secondsOfAYear }));
}

const table = {
  LOCALE_MALFORMED: {
    message: '"{locale}" is not a locale.',
    fix: 'Use a BCP 47 language tag, such as "en" or "pt-BR".',
  },
  LOCALE_DEFAULT_NOT_ENABLED: {
    message: 'The default locale "{locale}" is not among the enabled ones ({enabled}).',
    fix: 'Enable it, or choose another default.',
  },
  LOCALE_BAD_MESSAGE: {
    message: 'The message "{key}" in "{locale}" cannot be parsed.',
    fix: 'Fix its ICU MessageFormat syntax; the cause shows where the error is.',
  },
} as const;

/** Errors in the configuration of locales and messages. */
export const localeErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
