import {
  callable,
  checkOptions,
  either,
  flag,
  listOf,
  number,
  oneOf,
  optionsSchema,
  type OptionsSchema,
  text,
} from '#core/options';
import { type HttpRequest, HttpResponse } from '#core/http';
import { kernelListener, kernelPriority, requestEvent, responseEvent } from '#framework/kernel';
import { createPathMatcher, pathList, type WebExtension, webErrors } from './web-extension.js';

export interface CorsOptions {
  /**
   * Origins whose pages may read the responses: `'*'` (default), a list of origins (`https://app.example.org`, or
   * `https://*.example.org` for all subdomains), or a function that decides.
   */
  readonly origins?: '*' | readonly string[] | ((origin: string, request: HttpRequest) => boolean);
  /** Whether browsers may send cookies and credentials. Default false; not allowed with `'*'`. */
  readonly credentials?: boolean;
  /** Default: GET, HEAD, POST, PUT, PATCH, DELETE. */
  readonly methods?: readonly string[];
  /** Request headers that pages may set. Default: the headers that a preflight requests. */
  readonly allowedHeaders?: readonly string[];
  /** Response headers that pages may read, in addition to the safelisted ones. */
  readonly exposedHeaders?: readonly string[];
  /** Seconds for which a browser may cache the response to a preflight. Default 600. */
  readonly maxAge?: number;
  /** Only these paths and everything below them. Default: all. */
  readonly paths?: readonly string[];
}

export const corsSchema: OptionsSchema<CorsOptions> = optionsSchema<CorsOptions>({
  origins: either(either(oneOf('*'), listOf(text)), callable()),
  credentials: flag,
  methods: listOf(text),
  allowedHeaders: listOf(text),
  exposedHeaders: listOf(text),
  maxAge: number({ min: -1, unit: 'seconds' }), // -1: no caching, like 0
  paths: pathList,
});

const defaultMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Comma-separated header names, as a browser sends them in a preflight. */
const headerListPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z, -]{1,4000}$/;

/**
 * Lets pages of other origins read the responses (Fetch standard, section 3.2). Preflights are answered before routing
 * and firewall; all other responses, including errors, get the headers when they are sent. Throws
 * `WEB_CORS_CREDENTIALS` and `WEB_CORS_ORIGIN`.
 */
export function cors(options: CorsOptions = {}): WebExtension {
  checkOptions('cors()', options, corsSchema);
  const { origins = '*', credentials = false, paths } = options;
  if (credentials && origins === '*') throw webErrors.create('WEB_CORS_CREDENTIALS', {});
  const isAllowed = createOriginTest(origins === '*' ? [] : origins);
  const isMeant = createPathMatcher(paths);

  /** Names the origin in the response; returns false if its page may not read the response. */
  function share(request: HttpRequest, { headers }: HttpResponse): boolean {
    const origin = origins === '*' ? '*' : request.headers.get('origin');
    if (origins !== '*') headers.addToken('Vary', 'Origin');
    if (origin === undefined || (origins !== '*' && !isAllowed(origin, request))) return false;
    headers.set('Access-Control-Allow-Origin', origin);
    if (credentials) headers.set('Access-Control-Allow-Credentials', 'true');
    return true;
  }

  return {
    name: 'cors',
    listeners: [
      kernelListener(
        requestEvent,
        (event) => {
          const { request } = event;
          if (!isPreflight(request) || !isMeant(request)) return;
          const response = HttpResponse.empty();
          if (share(request, response)) describePreflight(request, response, options);
          event.response = response;
        },
        { name: 'cors preflight', priority: kernelPriority.request.preflight },
      ),
      kernelListener(
        responseEvent,
        ({ request, response }) => {
          if (isPreflight(request) || !isMeant(request)) return;
          if (!share(request, response) || options.exposedHeaders === undefined) return;
          response.headers.set('Access-Control-Expose-Headers', options.exposedHeaders.join(', '));
        },
        { name: 'cors', priority: kernelPriority.response.webHeaders },
      ),
    ],
  };
}

function isPreflight({ method, headers }: HttpRequest): boolean {
  return method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method');
}

function describePreflight(request: HttpRequest, { headers }: HttpResponse, options: CorsOptions): void {
  headers.set('Access-Control-Allow-Methods', (options.methods ?? defaultMethods).join(', '));
  headers.set('Access-Control-Max-Age', String(options.maxAge ?? 600));
  if (options.allowedHeaders !== undefined) {
    headers.set('Access-Control-Allow-Headers', options.allowedHeaders.join(', '));
    return;
  }
  headers.addToken('Vary', 'Access-Control-Request-Headers');
  const requested = request.headers.get('access-control-request-headers');
  if (requested !== undefined && headerListPattern.test(requested))
    headers.set('Access-Control-Allow-Headers', requested);
}

/** Creates the test for origins. Throws `WEB_CORS_ORIGIN` for an entry that cannot be an origin. */
function createOriginTest(
  origins: readonly string[] | ((origin: string, request: HttpRequest) => boolean),
): (origin: string, request: HttpRequest) => boolean {
  if (typeof origins === 'function') return origins;
  for (const origin of origins) {
    const example = origin.replace('://*.', '://any.');
    if (origin !== 'null' && (example.includes('*') || !isOrigin(example)))
      throw webErrors.create('WEB_CORS_ORIGIN', { origin });
  }
  const families = origins.filter((origin) => origin.includes('*')).map((origin) => origin.split('*'));
  return (origin) =>
    origins.includes(origin) || families.some(([start = '', end = '']) => isSubdomain(origin, start, end));
}

/** Whether the star in a pattern matches one or more whole labels of the origin. */
function isSubdomain(origin: string, start: string, end: string): boolean {
  if (!origin.startsWith(start) || !origin.endsWith(end)) return false;
  const labels = origin.slice(start.length, origin.length - end.length);
  return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i.test(labels);
}

function isOrigin(text: string): boolean {
  try {
    const { origin, protocol } = new URL(text);
    // For other schemes (browser extensions and apps), the URL standard defines no origin.
    return origin === 'null' ? text.startsWith(`${protocol}//`) && !/[\s?#]/.test(text) : origin === text;
  } catch {
    return false;
  }
}
