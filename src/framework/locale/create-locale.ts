import { defineErrorCodes, type ErrorCodes, safely } from '#core/coded-error';
import {
  checkOptions,
  checkValue,
  flag,
  listOf,
  objectWith,
  type OptionsSchema,
  optionsSchema,
  optionType,
  required,
  text,
} from '#core/options';
import {
  type HttpRequest,
  requestLocale,
  requestRoute,
  HttpResponse,
  locationOf,
  renderCookie,
} from '#core/http';
import {
  type KernelListener,
  kernelListener,
  kernelPriority,
  localeRewrite,
  requestEvent,
  responseEvent,
  routeFinder,
  routingOutcome,
} from '#framework/kernel';
import { parseQualityValues } from '#core/negotiation';
import type { Route } from '#core/routing';
import { createScopeKey, currentScope, type ScopeKey } from '#core/scope';

/** An application's locales, and how a request's locale is chosen. */
export interface LocaleOptions {
  /** Supported locales (BCP 47), the preferred one first. */
  readonly enabled: readonly string[];
  /** Locale to use if nothing else decides. Default: the first enabled one. */
  readonly default?: string;
  /** Sources for a visitor's stored choice, in this order. Default: none. */
  readonly stored?: readonly StoredLocale[];
  /** Whether a path without a route is retried with a locale prefix. Default: true with more than one locale. */
  readonly rewrite?: boolean;
  /** Whether responses have a `Content-Language` header. Default true. */
  readonly contentLanguage?: boolean;
}

export const localeSchema: OptionsSchema<LocaleOptions> = optionsSchema<LocaleOptions>({
  enabled: required(listOf(text)),
  default: text,
  stored: listOf(objectWith<StoredLocale>('an object with a read method', 'read')),
  rewrite: flag,
  contentLanguage: flag,
});

/** Locale support as an application extension. */
export interface Locale {
  readonly name: 'locale';
  readonly enabled: readonly string[];
  readonly default: string;
  readonly listeners: readonly KernelListener[];
  /**
   * Returns where to redirect a request whose path has no route; undefined if nowhere. `findRoute` takes a decoded
   * path.
   */
  readonly rewrite: (
    request: Pick<HttpRequest, 'method' | 'path' | 'rawPath' | 'rawQuery'>,
    findRoute: (path: string) => Route | undefined,
    visit: LocaleVisit,
  ) => string | undefined;
}

interface LocaleVisit {
  /** The request's locale. Default: the default locale. */
  readonly locale?: string | undefined;
  /** Whether a browser navigates to the path for a page. */
  readonly isNavigation: boolean;
}

/** Request headers that determine the locale, added to `Vary` for caches. */
const consultedHeaders: ScopeKey<readonly string[]> = createScopeKey<readonly string[]>(
  'headers that choose the locale',
);

/**
 * Sets every request's locale: the route's `_locale`, otherwise the stored choice, otherwise Accept-Language,
 * otherwise the default. Throws `LOCALE_MALFORMED` or `LOCALE_DEFAULT_NOT_ENABLED`.
 */
export function createLocale(options: LocaleOptions): Locale {
  checkOptions('createLocale()', options, localeSchema);
  const enabled = options.enabled.map(checkTag);
  const fallback = options.default === undefined ? (enabled[0] ?? 'en') : checkTag(options.default);
  if (!enabled.includes(fallback)) {
    const facts = { locale: fallback, enabled: enabled.join(', ') };
    throw localeErrors.create('LOCALE_DEFAULT_NOT_ENABLED', facts);
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

  const { rewrite: isRewriting = enabled.length > 1 } = options;
  const rewrite: Locale['rewrite'] = (request, findRoute, { locale = fallback, isNavigation }) => {
    const isLocalised = findEnabled(request.path.split('/', 2)[1] ?? '', enabled) !== undefined;
    if (!isRewriting || isLocalised) return undefined;
    const mayBePage = isNavigation && isPagePath(request.path);
    const hasRoute = (path: string): boolean => {
      const route = findRoute(path);
      return route !== undefined && (mayBePage || isLiteralBehindLocale(route, request.path));
    };
    return findLocalised(request, hasRoute, locale);
  };
  const listeners = [
    kernelListener(requestEvent, ({ request }) => request.scope.set(requestLocale, decide(request)), {
      name: 'locale',
      priority: kernelPriority.request.locale,
    }),
    createRewriteListener(rewrite),
    ...(options.contentLanguage === false ? [] : [contentLanguageListener]),
  ];
  return { name: 'locale', enabled, default: fallback, listeners, rewrite };
}

const contentLanguageListener: KernelListener = kernelListener(
  responseEvent,
  ({ request, response }) => {
    const locale = request.scope.get(requestLocale);
    if (locale !== undefined && !response.headers.has('content-language'))
      response.headers.append('Content-Language', locale);
    for (const header of request.scope.getOwn(consultedHeaders) ?? [])
      response.headers.addToken('Vary', header);
  },
  { name: 'content language', priority: kernelPriority.response.contentLanguage },
);

/** Returns the parameters of a route that matches a request's path but not its method. */
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
    const locale = findEnabled(store.read(request) ?? '', enabled);
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

/** Returns the current request's locale, or `fallback` outside requests. */
export function activeLocale(fallback = 'en'): string {
  return currentScope()?.get(requestLocale) ?? fallback;
}

/**
 * Redirects an unmatched GET or HEAD to its path with the locale prefix, if a route exists there; not if the path
 * already has a locale.
 */
function createRewriteListener(rewrite: Locale['rewrite']): KernelListener {
  return kernelListener(
    requestEvent,
    ({ request }) => {
      const { scope } = request;
      const find = scope.getOwn(routingOutcome)?.kind === 'not-found' ? scope.get(routeFinder) : undefined;
      if (find === undefined) return;
      const findRoute = (path: string): Route | undefined => {
        const found = find(request, path);
        return found.kind === 'match' ? found.route : undefined;
      };
      const visit = { locale: scope.get(requestLocale), isNavigation: isNavigation(request) };
      const location = rewrite(request, findRoute, visit);
      if (location === undefined) return;
      const redirect = { kind: 'redirect', location: request.basePath + location, status: 302 } as const;
      scope.set(routingOutcome, { ...redirect, by: localeRewrite });
    },
    { name: localeRewrite, priority: kernelPriority.request.rewrite },
  );
}

/** Whether a browser navigates to a page: the client explicitly accepts HTML, and is not a script. */
function isNavigation({ headers }: HttpRequest): boolean {
  const mode = headers.get('sec-fetch-mode');
  if (mode !== undefined && mode !== 'navigate') return false;
  return parseQualityValues(headers.get('accept') ?? '').some(
    ({ value, quality }) => quality > 0 && (value === 'text/html' || value === 'application/xhtml+xml'),
  );
}

/**
 * Whether a path may be a page's: no segment begins with a dot, and the last one has no file extension (`/robots.txt`).
 */
function isPagePath(path: string): boolean {
  const segments = path.split('/').filter((segment) => segment !== '');
  return !segments.some((segment) => segment.startsWith('.')) && !/\.\w{1,10}~?$/.test(segments.at(-1) ?? '');
}

/**
 * Whether the segment after the locale is literal in a route's path: `/{_locale}/articles/{id}`, but not
 * `/{_locale}/{slug}`.
 */
function isLiteralBehindLocale({ pattern }: Route, path: string): boolean {
  if (/^\/+$/.test(path)) return true; // the route has only the locale
  const written = pattern.tokens.map((token) => (token.kind === 'text' ? token.text : `${token.prefix}{}`));
  const segment = written.join('').split('/', 3)[2] ?? '';
  return segment !== '' && !segment.includes('{}');
}

function findLocalised(
  { method, path, rawPath, rawQuery }: Parameters<Locale['rewrite']>[0],
  hasRoute: (path: string) => boolean,
  locale: string,
): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const has = (rest: string): boolean => hasRoute(`/${locale}${rest}`);
  // The target always starts with an enabled locale, so that it cannot name another host.
  if (has(path)) return locationOf(`/${locale}${rawPath}`, rawQuery);
  // If only the path without the trailing slash has a route, redirects there directly instead of through a second
  // redirect.
  if (!path.endsWith('/') || !has(path.slice(0, -1))) return undefined;
  return locationOf(`/${locale}${rawPath.replace(/(?:\/|%2f)$/i, '')}`, rawQuery);
}

/** Port: provides the language stored for a visitor (cookie, session, account). */
export interface StoredLocale {
  /** Name in records: `cookie`, `session`, `user`. */
  readonly name: string;
  /**
   * Request header that it reads, which is added to `Vary`: `Cookie`. Omit it if no shared cache stores the responses.
   */
  readonly vary?: string;
  /** Returns the stored choice; anything other than an enabled locale is ignored. */
  read(request: HttpRequest): string | undefined;
}

/** Creates a source that reads the choice from a cookie. */
export function cookieLocale(name = 'locale'): StoredLocale {
  return { name: 'cookie', vary: 'Cookie', read: (request) => request.cookies.get(name) };
}

const instanceOfResponse = optionType<HttpResponse>(
  'an HttpResponse',
  (value) => value instanceof HttpResponse,
);

/** Stores a choice in the cookie that `cookieLocale` reads, for one year. */
export function localeCookie(response: HttpResponse, locale: string, name = 'locale'): void {
  checkValue('localeCookie()', 'response', response, instanceOfResponse);
  response.headers.append('Set-Cookie', renderCookie(name, locale, { maxAge: 365 * 24 * 3600 }));
}

/** Real tags are never longer; shortening a range takes a step for each subtag. */
const maxRangeLength = 80;

/**
 * Returns the enabled locale that best matches an Accept-Language header. Each range, best first, matches the locale
 * that it names. If there is none, it is shortened from its end until it matches one (RFC 4647 section 3.4: `fr-CA`
 * matches `fr`); then it matches one in the same language (`pt` and `pt-PT` match `pt-BR`), preferably with the same
 * script. `*` matches the first locale that no other range names. Locales refused with `q=0`, including more specific
 * ones, are never chosen. If nothing matches but some locales are refused, returns `fallback` unless it is refused,
 * otherwise the first locale that is not. Returns undefined if nothing matches and nothing is refused, or if everything
 * is refused.
 */
export function negotiateLocale(
  header: string | undefined,
  enabled: readonly string[],
  { fallback }: { readonly fallback?: string } = {},
): string | undefined {
  const ranges = parseQualityValues(header ?? '')
    .map(({ value, quality }) => ({ range: normalise(value), quality }))
    .filter(({ range }) => range.length <= maxRangeLength)
    .sort((left, right) => right.quality - left.quality);
  const locales = enabled.filter((locale) => !isRefused(normalise(locale), ranges));
  const isNamed = (locale: string): boolean => ranges.some(({ range }) => range === normalise(locale));
  for (const { range, quality } of ranges) {
    if (quality === 0) break; // sorted: only refusals remain
    const found =
      range === '*'
        ? (locales.find((locale) => !isNamed(locale)) ?? locales[0])
        : findClosest(range, locales);
    if (found !== undefined) return found;
  }
  if (locales.length === enabled.length) return undefined;
  return locales.find((locale) => locale === fallback) ?? locales[0];
}

/** Finds the enabled locale for a language tag; ignores case and accepts `_` for `-` (`FR_ca` is `fr-CA`). */
function findEnabled(tag: string, enabled: readonly string[]): string | undefined {
  const wanted = normalise(tag);
  return enabled.find((locale) => normalise(locale) === wanted);
}

/**
 * Returns whether a locale is refused with `q=0`. The most specific matching range decides (`en` also matches `en-GB`);
 * if it occurs twice, a refusal wins. `*;q=0` does not refuse locales that another range matches.
 */
function isRefused(locale: string, ranges: readonly { range: string; quality: number }[]): boolean {
  const matching = ranges.filter(({ range }) => range === locale || locale.startsWith(`${range}-`));
  const longest = Math.max(...matching.map(({ range }) => range.length));
  return matching.some(({ range, quality }) => quality === 0 && range.length === longest);
}

/** Returns the locale that best matches a language range; undefined if none has its language. */
function findClosest(range: string, locales: readonly string[]): string | undefined {
  // Removes the last subtag, and a single character before it: `zh-hant-cn-x-private`, `zh-hant-cn`, `zh-hant`, `zh`.
  for (let tag = range; ; tag = tag.replace(/(?:-[a-z0-9])?-[^-]*$/, '')) {
    const found = findEnabled(tag, locales);
    if (found !== undefined) return found;
    if (!tag.includes('-')) break;
  }
  const [language] = range.split('-', 1);
  const related = locales.filter((locale) => normalise(locale).split('-', 1)[0] === language);
  const script = scriptOf(range);
  return related.find((locale) => scriptOf(locale) === script) ?? related[0];
}

/**
 * Returns a tag's script: the explicit one, otherwise the usual one for its language and region (`Hant` for
 * `zh-TW`).
 */
function scriptOf(tag: string): string | undefined {
  return safely(() => new Intl.Locale(tag).maximize().script, undefined); // a valid range may be an invalid tag
}

function normalise(tag: string): string {
  return tag.toLowerCase().replaceAll('_', '-');
}

const table = {
  LOCALE_MALFORMED: {
    message: '"{locale}" is not a locale.',
    fix: 'Use a BCP 47 language tag, such as "en" or "pt-BR".',
  },
  LOCALE_DEFAULT_NOT_ENABLED: {
    message: 'The default locale "{locale}" is not one of the enabled locales ({enabled}).',
    fix: 'Enable it, or choose another default.',
  },
  LOCALE_MESSAGE_VALUE: {
    message: 'The message "{key}" in "{locale}" cannot be formatted: {reason}',
    fix: 'Pass a value for each placeholder in the second argument of text().',
  },
  LOCALE_BAD_MESSAGE: {
    message: 'The message "{key}" in "{locale}" cannot be parsed.',
    fix: 'Fix its ICU MessageFormat syntax; the cause shows where the error is.',
  },
} as const;

export const localeErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
