import { request as requestHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import {
  HttpRequest,
  HttpResponse,
  requestRoute,
  type TrustPolicy,
  isBodiless,
  isConnectionField,
  isStreamedBody,
  pumpBody,
  ResponseHeaders,
  sizeOfBody,
  stopBody,
} from '#core/http';
import type { ProfilerRoute } from '#profiler';
import { createScopeKey, type ScopeKey } from '#core/scope';
import { type ForeignRequest, type ForeignResponse, readForeignSource } from '../watch/foreign-message.js';

type Answer = (request: HttpRequest) => Promise<HttpResponse>;

/** Supplies the pages, and receives their failures. */
interface PagesSource {
  readonly pages: () => readonly ProfilerRoute[];
  readonly failed: (error: unknown) => void;
}

/**
 * The profiler's pages on another server's port. Their code and the router are loaded when the first page is opened.
 */
export class AttachedPages {
  readonly #prefix: string;
  readonly #source: PagesSource;
  #opened: Promise<Answer> | undefined;

  constructor(prefix: string, source: PagesSource) {
    this.#prefix = prefix;
    this.#source = source;
  }

  /** Returns whether the path belongs to the profiler's pages. */
  has({ rawPath }: HttpRequest): boolean {
    return rawPath === this.#prefix || rawPath.startsWith(`${this.#prefix}/`);
  }

  /** Returns the requested page. The caller must have checked access. */
  async respond(request: HttpRequest): Promise<HttpResponse> {
    let response: HttpResponse;
    try {
      this.#opened ??= openPages(this.#source.pages());
      response = await (await this.#opened)(request);
    } catch (error) {
      this.#source.failed(error);
      const name = error instanceof Error ? error.name : typeof error;
      response = HttpResponse.text(`Failed to render the page: ${name}\n`, { status: 500 });
    }
    response.headers.set('Cache-Control', 'no-store');
    return response;
  }
}

async function openPages(pages: readonly ProfilerRoute[]): Promise<Answer> {
  const { compileRoutes, createRoutes, matchRoute } = await import('#core/routing');
  const compiled = compileRoutes(
    createRoutes(pages.map(({ controller, ...page }) => ({ ...page, target: controller }))),
  );
  return async (request) => {
    const { method, path, rawQuery, basePath } = request;
    const found = matchRoute(compiled, { method, path });
    if (found.kind === 'redirect') {
      const location = basePath + (rawQuery === '' ? found.path : `${found.path}?${rawQuery}`);
      return new HttpResponse(null, { status: 302, headers: { Location: location } });
    }
    if (found.kind === 'not-found') return HttpResponse.text('There is no such page.\n', { status: 404 });
    if (found.kind === 'method-not-allowed') {
      const allow = found.allow.join(', ');
      return HttpResponse.text(`Method not allowed; use ${allow}.\n`, {
        status: 405,
        headers: { Allow: allow },
      });
    }
    const { route, parameters } = found;
    request.scope.set(requestRoute, { name: route.name, path: route.path, parameters });
    const controller = route.target as ProfilerRoute['controller']; // every route was created from a page
    return controller(request);
  };
}

/** The address of the server that serves a page. */
const pageServer: ScopeKey<{ readonly host: string; readonly port: number; readonly isTls: boolean }> =
  createScopeKey('server of a page');

/** Returns a signal that aborts if the client disconnects before the response is complete. */
export function disconnectSignal(outgoing: ForeignResponse): AbortSignal {
  const disconnect = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableEnded) disconnect.abort();
  });
  return disconnect.signal;
}

export function toPageRequest(
  incoming: ForeignRequest,
  outgoing: ForeignResponse,
  trust?: TrustPolicy,
): HttpRequest {
  const source = readForeignSource(incoming);
  const body = { chunks: () => chunksOf(incoming) };
  const signal = disconnectSignal(outgoing);
  const request = new HttpRequest({ ...source, body, signal }, trust === undefined ? {} : { trust });
  const { localAddress, localPort } = incoming.socket;
  if (localAddress !== undefined && localPort !== undefined)
    request.scope.set(pageServer, { host: localAddress, port: localPort, isTls: source.peer.encrypted });
  return request;
}

/** Returns the bytes of the body. If a body parser has already read the form, its fields are encoded again. */
async function* chunksOf(incoming: ForeignRequest): AsyncGenerator<Uint8Array> {
  const { body } = incoming as { body?: unknown }; // set by body parsers
  if (!incoming.readableEnded || typeof body !== 'object' || body === null) return yield* incoming;
  const fields = Object.entries(body).filter(
    (field): field is [string, string] => typeof field[1] === 'string',
  );
  yield Buffer.from(new URLSearchParams(fields).toString());
}

/** Replays a request on the page's own server; never on the URL's host, which the original client chose. */
export async function replayOverLoopback(request: Request, pageRequest: HttpRequest): Promise<Response> {
  const server = pageRequest.scope.get(pageServer);
  if (server === undefined) throw new Error('the server is not listening on a port');
  const { host: name, pathname, search } = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer());
  const options = {
    host: server.host,
    port: server.port,
    method: request.method,
    path: pathname + search,
    headers: { ...Object.fromEntries(request.headers), host: name },
    signal: request.signal,
    agent: false,
    rejectUnauthorized: false, // the server is this process, so its certificate need not match
    servername: name.replace(/:\d+$/, ''),
  } as const;
  const send = server.isTls ? (await import('node:https')).request : requestHttp;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = send(options, resolve);
    outgoing.on('error', reject).end(body.byteLength === 0 ? undefined : body);
  });
  return toResponse(answer);
}

function toResponse(answer: IncomingMessage): Response {
  const status = answer.statusCode ?? 0;
  const isBodiless = status === 204 || status === 205 || status === 304;
  const headers = new Headers();
  const token = answer.headers['x-debug-token'];
  if (typeof token === 'string') headers.set('x-debug-token', token);
  if (isBodiless) answer.resume();
  const stream = isBodiless ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>); // Node's and the DOM's type of the same class
  return new Response(stream, { status, headers });
}

/** Header fields to which each handler adds its own value (RFC 9110 section 5.3): earlier values are kept. */
const addedFields: ReadonlySet<string> = new Set(['set-cookie', 'link', 'server-timing', 'www-authenticate']);
/** Header fields with lists of names, which are joined. */
const joinedFields: ReadonlySet<string> = new Set(['vary', 'access-control-expose-headers']);

/** Sets a response's header fields. Connection fields belong to the server, except that a 426 names a protocol. */
function setHeaders(
  outgoing: ServerResponse,
  { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
): void {
  const names = new Map([...headers].map(([name]) => [name.toLowerCase(), name]));
  for (const [lower, name] of names) {
    const values = headers.getAll(name);
    if (addedFields.has(lower)) values.unshift(...presentValues(outgoing, name));
    if (joinedFields.has(lower)) {
      const joined = new ResponseHeaders();
      const lists = [...presentValues(outgoing, name), ...values].join(',');
      for (const token of lists.split(',')) joined.addToken(name, token.trim());
      outgoing.setHeader(name, joined.get(name) ?? '');
    } else if (!isConnectionField(lower)) {
      outgoing.setHeader(name, values.length === 1 ? (values[0] ?? '') : values);
    }
  }
  const upgrade = headers.get('upgrade');
  if (status !== 426 || upgrade === undefined || outgoing.req.httpVersionMajor >= 2) return;
  outgoing.setHeader('Upgrade', upgrade);
  outgoing.setHeader('Connection', 'Upgrade');
}

function presentValues(outgoing: ServerResponse, name: string): string[] {
  const present = outgoing.getHeader(name);
  return (Array.isArray(present) ? present : [present]).flatMap((value) =>
    value === undefined ? [] : [String(value)],
  );
}

/**
 * Sends a response through another server's. A streamed body has backpressure, and is cancelled if the client
 * disconnects.
 */
export async function sendResponse(
  foreign: ForeignResponse,
  response: Pick<HttpResponse, 'status' | 'headers' | 'body'>,
): Promise<void> {
  const outgoing = foreign as ServerResponse; // uses only methods that HTTP/2's response also has
  setHeaders(outgoing, response);
  outgoing.statusCode = response.status;
  const { body } = response;
  const isEmpty = isBodiless(outgoing.req.method ?? 'GET', response.status);
  if (isEmpty || !isStreamedBody(body)) {
    stopBody(body);
    const bytes = isStreamedBody(body) ? null : body;
    if (bytes !== null || !isEmpty) outgoing.setHeader('Content-Length', sizeOfBody(bytes));
    outgoing.end(isEmpty ? undefined : (bytes ?? undefined));
    return;
  }
  const declared = response.headers.get('content-length');
  outgoing.writeHead(outgoing.statusCode);
  try {
    const options = declared === undefined ? {} : { declared: Number(declared) };
    if (await pumpBody(body, outgoing, options)) outgoing.end();
  } catch (error) {
    outgoing.destroy(); // closing the connection is the only way left to signal that the body is incomplete
    throw error;
  }
}
