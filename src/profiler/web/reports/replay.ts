import { containsRedacted, headerBytes } from '#core/dump';
import { isLoopbackHost } from '#core/http';
import { formatBytes } from '../../model/formatting.js';
import { findHeader, isOfRequest, type ProfileRecord } from '../../model/profile-record.js';

/** The part of a recorded request that can be sent again. */
export interface RepeatableRequest {
  readonly method: string;
  /** Absolute URL. */
  readonly url: string;
  /** Headers without secrets, and without headers that a client sets itself. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: { readonly encoding: 'text' | 'base64'; readonly content: string } | undefined;
  /** What the record lacks: header names, and descriptions of other parts. */
  readonly missing: readonly string[];
  /** Whether URL and body are as they were sent; otherwise the request could mean something else. */
  readonly isWhole: boolean;
}

/** Headers that belong to a connection, or that a client derives from the rest. */
const connectionHeaders = new Set(
  (
    'host connection keep-alive proxy-connection proxy-authorization transfer-encoding content-length te trailer ' +
    'upgrade expect http2-settings accept-encoding lookback-replay'
  ).split(' '),
);

/** Returns the part of the request that can be sent again, and what is missing. */
export function repeatableRequest({ request }: ProfileRecord): RepeatableRequest {
  const { body, headers } = request;
  const named = headers.filter(
    ([name]) => !connectionHeaders.has(name.toLowerCase()) && !name.startsWith(':'),
  );
  const hidden = named.filter(([, value]) => containsRedacted(value)).map(([name]) => name);
  const announced = findHeader(headers, 'content-length') ?? '0';
  const isOmitted = body !== null && body.content === '' && body.bytes > 0;
  const gaps = [
    ...(containsRedacted(request.url) ? ['a secret in the URL'] : []),
    ...(isOmitted || (body === null && announced !== '0') ? ['the body, which was not recorded'] : []),
    ...(body?.cut === true && !isOmitted ? ['a part of the body, which was recorded in part'] : []),
    ...(body !== null && containsRedacted(body.content) ? ['secrets in the body'] : []),
  ];
  return {
    method: request.method,
    url: request.url,
    headers: named
      .filter(([, value]) => !containsRedacted(value))
      .map(([name, value]) => [name, headerBytes(value)]),
    body: body === null || isOmitted ? undefined : { encoding: body.encoding, content: body.content },
    missing: [...new Set(hidden), ...gaps],
    isWhole: gaps.length === 0,
  };
}

/** Describes what is missing, in one line of ASCII characters; undefined if nothing is. */
export function describeMissing({ missing }: RepeatableRequest): string | undefined {
  if (missing.length === 0) return undefined;
  const words = missing
    .join(', ')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 1_000);
  return `Omitted, because the record does not contain it: ${words}.`;
}

export interface ReplayOptions {
  /** Sends the request to the application directly. Default: over the network. */
  readonly send?: ((request: Request) => Promise<Response>) | undefined;
  /** Origin to send it to over the network. Default: the record's own, if it is this machine. */
  readonly to?: string | undefined;
  /** Whether to allow requests that may change something. Default false. */
  readonly mayWrite?: boolean | undefined;
  /** Cookie header that replaces the redacted one. */
  readonly cookies?: string | undefined;
  /** Whether to add `_profile=cpu`, which adds a CPU profile to the new record. */
  readonly hasCpuProfile?: boolean | undefined;
}

export interface ReplayAnswer {
  readonly status: number;
  /** The new record's token, if the response names one. */
  readonly token: string | undefined;
  /** Beginning of the body. */
  readonly body: string;
  /** Why the body did not arrive in full; absent if it did. */
  readonly broke?: string;
  /** Names of headers with secrets, which were not sent. */
  readonly leftOut: readonly string[];
}

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Maximum milliseconds and bytes for reading the response; a longer one's record is marked as aborted. */
const limits = { ms: 30_000, bytes: 4 * 1024 * 1024, shownLength: 2000 };

/** Returns why a request cannot be sent again, as the end of a sentence; undefined if it can. */
export function replayObstacle(record: ProfileRecord): string | undefined {
  const { request, origin } = record;
  if (origin === 'profiler') return 'it is one of the profiler’s own';
  if (!isOfRequest(record)) return 'it is the record of a command or job, not of a request';
  const { isWhole, missing, body } = repeatableRequest(record);
  if (!isWhole) return `the record does not hold ${missing.join(', ')}`;
  if (body !== undefined && (request.method === 'GET' || request.method === 'HEAD'))
    return `a ${request.method} with a body cannot be sent`;
  return undefined;
}

/**
 * Sends a recorded request again, without redacted values. Target and Host were chosen by the client, so neither may
 * lead to another origin than `to`, or this machine. If it cannot be sent, returns the reason, as the end of a
 * sentence.
 */
export async function replayRequest(
  record: ProfileRecord,
  options: ReplayOptions = {},
): Promise<ReplayAnswer | string> {
  const { send = fetch, to } = options;
  const { method, target, scheme, host } = record.request;
  if (!safeMethods.has(method) && options.mayWrite !== true)
    return `${method} may change something: it is sent only by “lookback replay --write”, and by a server started as “lookback mcp --write”`;
  const obstacle = replayObstacle(record);
  if (obstacle !== undefined) return obstacle;
  const origin = to ?? `${scheme}://${host}`;
  if (!URL.canParse(origin))
    return `“${origin.slice(0, 100)}” is not an origin such as http://127.0.0.1:8000`;
  const url = urlAt(origin, target);
  if (url === undefined) return `${target.slice(0, 100)} is not a path of ${origin}`;
  if (to === undefined && options.send === undefined && !isLoopbackHost(url.hostname))
    return `the record names the host ${url.hostname}, which is not this machine: pass the origin to send it to`;
  if (options.hasCpuProfile === true) url.searchParams.set('_profile', 'cpu');
  const { headers, body, missing } = repeatableRequest(record);
  try {
    const request = new Request(url, {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      signal: AbortSignal.timeout(limits.ms),
      redirect: 'manual',
      ...(body && { body: Buffer.from(body.content, body.encoding === 'base64' ? 'base64' : 'utf8') }),
    });
    if (options.cookies) request.headers.set('Cookie', options.cookies);
    request.headers.set('Lookback-Replay', record.token);
    const response = await send(request);
    return {
      status: response.status,
      token: response.headers.get('x-debug-token') ?? undefined,
      ...(await readHead(response)),
      leftOut: missing,
    };
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error('unknown failure');
    return `${origin}: ${(cause instanceof Error && cause.message) || message}`.slice(0, 400);
  }
}

/**
 * Builds a URL from its parts. In a concatenated URL, `//host/x`, `/\host/x` or a tab between the slashes could lead
 * elsewhere.
 */
function urlAt(origin: string, target: string): URL | undefined {
  if (!target.startsWith('/')) return undefined;
  const url = new URL(origin);
  const wanted = url.origin;
  const [, path = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(target) ?? [];
  url.pathname = path;
  url.search = query;
  url.hash = '';
  return url.origin === wanted ? url : undefined;
}

/** Reads the body to its end, which completes its record, and returns its beginning. Event streams never end. */
async function readHead({ body, headers }: Response): Promise<Pick<ReplayAnswer, 'body' | 'broke'>> {
  const isEndless = headers.get('content-type')?.startsWith('text/event-stream') === true;
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const part of body ?? []) {
      bytes += part.byteLength;
      if (text.length < limits.shownLength) text += decoder.decode(part, { stream: true });
      if (bytes > (isEndless ? limits.shownLength : limits.bytes)) break;
    }
  } catch (error) {
    // The rest did not arrive in time, or the connection broke.
    const { message, cause } = error instanceof Error ? error : new Error('unknown failure');
    const broke = `after ${formatBytes(bytes)}: ${(cause instanceof Error && cause.message) || message}`;
    return { body: text.slice(0, limits.shownLength), broke };
  }
  return { body: text.slice(0, limits.shownLength) };
}
