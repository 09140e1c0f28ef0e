import cluster from 'node:cluster';
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { HttpRequest } from '#http';
import { environmentOf } from '#recording';
import { startTaps } from '#taps';
import { attachmentOf, type Attachment } from '../attachment/attachment.js';
import { watchFrameworks } from '../frameworks/watch-frameworks.js';
import { toPageRequest, sendResponse } from '../pages/attached-pages.js';
import type { AttachSettings } from '../watch/attach-options.js';
import { type Intercept, ownServer } from './intercept-emit.js';
import { watchRequests } from './watch-server.js';

/** Returns the function that records the requests of all servers whose emissions it receives, until the process ends. */
export async function watchProcess(): Promise<Intercept> {
  const separate = readPagesAddress(process.env);
  const attachment = attachmentOf(separate === undefined ? undefined : { pages: false });
  if (!attachment.isEnabled) return ({ go }) => go();
  if (environmentOf(process.env) === 'prod')
    report(`RECORDING IN PRODUCTION, because LOOKBACK=on: ${describeRecording(attachment.settings)}`);
  const frameworks = watchFrameworks();
  await Promise.all([frameworks.ready, startTaps().ready]);
  const watch = watchRequests(attachment, frameworks);
  attachment.prepare();
  return (emission) => {
    if (emission.event === 'listening') {
      if (separate === undefined) reportUrl(emission.server, attachment.settings.prefix);
      else servePages(attachment, { ...separate, report });
    }
    return watch(emission);
  };
}

const maxReported = 3;
let reported = 0; // servers of this thread whose URL was printed

/** Prints the URL of the first servers: the application's own need not be the first that listens. */
function reportUrl(server: Server, prefix: string): void {
  // Not of each worker of a cluster, nor of all servers of a test.
  if (reported === maxReported || (cluster.worker?.id ?? 1) !== 1) return;
  reported++;
  const address = server.address() as AddressInfo | string | null; // the return type of `net.Server`
  if (address === null || typeof address === 'string') return;
  const scheme = 'setSecureContext' in server ? 'https' : 'http';
  report(`records of every request: ${scheme}://localhost:${address.port}${prefix}/`);
}

function report(line: string): void {
  process.stderr.write(`lookback: ${line}\n`);
}

/** Describes what is recorded, for the output of a start in production. */
function describeRecording({ sample, bodies }: AttachSettings): string {
  const { rate = 1 } = sample;
  const share =
    rate === 1 ? 'every request' : `${rate * 100} % of the requests, all that fail and all that are slow`;
  return `${share}, with headers, ${bodies ? 'with' : 'without'} bodies. PROFILER_SAMPLE sets the share.`;
}

type PagesAddress = Omit<PagesServerOptions, 'report'>;

/** Reads the address of a separate server for the pages; undefined if they are on the application's port. Reports invalid settings and ignores them. */
function readPagesAddress(variables: NodeJS.ProcessEnv): PagesAddress | undefined {
  const { LOOKBACK_PORT: text = '', LOOKBACK_HOST: host = '127.0.0.1', LOOKBACK_TOKEN: token } = variables;
  if (text === '') return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) {
    report(
      `LOOKBACK_PORT is "${text.slice(0, 50)}": it takes a port from 0 to 65535. The pages are on the application's own port.`,
    );
    return undefined;
  }
  if (token !== undefined && token.length >= 32) return { port, host, token };
  if (token !== undefined || !['127.0.0.1', '::1', 'localhost'].includes(host))
    report(
      'LOOKBACK_TOKEN must have at least 32 characters. Until then the profiler is on 127.0.0.1 only, for this machine.',
    );
  return { port, host: '127.0.0.1', token: undefined };
}

/** Address of a separate server for the profiler's pages, and access to it. */
export interface PagesServerOptions {
  readonly port: number;
  /** Default `127.0.0.1`. Any other host requires a token. */
  readonly host: string;
  /** Clients that send this token may open the pages; without a token, only this machine may. */
  readonly token: string | undefined;
  readonly report: (line: string) => void;
}

const serving = new WeakSet<Attachment>();

/** Serves the profiler's pages on a separate port. The server does not keep the process alive. */
export function servePages(attachment: Attachment, options: PagesServerOptions): void {
  if (serving.has(attachment)) return;
  serving.add(attachment);
  const { port, host, token, report } = options;
  const guesses = new WrongTokens();
  const server = createServer((incoming, outgoing) => {
    const request = toPageRequest(incoming, outgoing);
    if (token !== undefined && guesses.isOver(request))
      outgoing.writeHead(429).end('Too many wrong tokens\n');
    else if (token !== undefined && !hasToken(request, token) && guesses.count(request))
      outgoing.writeHead(401, { 'WWW-Authenticate': 'Basic realm="lookback"' }).end('Unauthorized\n');
    else if (token === undefined && !attachment.isShown(request)) outgoing.writeHead(403).end('Forbidden\n');
    else if (attachment.pages.has(request))
      attachment.pages.respond(request).then(
        (page) => sendResponse(outgoing, page),
        () => undefined,
      );
    else outgoing.writeHead(302, { Location: `${attachment.settings.prefix}/` }).end();
  });
  Object.defineProperty(server, ownServer, { value: true });
  // Usually another worker of the same program already serves them.
  server.on('error', (error) => report(`The profiler cannot be served on port ${port}: ${error.message}`));
  server.listen({ port, host, exclusive: false }, () => {
    const { port: taken } = server.address() as AddressInfo; // it listens on a port, not on a path
    const name = host === '127.0.0.1' ? 'localhost' : host;
    report(`records of every request: http://${name}:${taken}${attachment.settings.prefix}/`);
  });
  server.unref();
}

/**
 * Whether the request has the token: as a bearer token (RFC 6750), or as the password of any user name (RFC 7617), for
 * which browsers prompt. Refuses cross-site requests other than navigations, for which a browser may add the password.
 */
function hasToken({ headers }: HttpRequest, token: string): boolean {
  if (headers.get('sec-fetch-site') === 'cross-site' && headers.get('sec-fetch-mode') !== 'navigate')
    return false;
  const [scheme = '', credentials = ''] = (headers.get('authorization') ?? '').split(' ');
  if (!/^(?:basic|bearer)$/i.test(scheme)) return false;
  const given =
    scheme.toLowerCase() === 'basic'
      ? Buffer.from(credentials, 'base64')
          .toString()
          .replace(/^[^:]*:/, '')
      : credentials;
  return timingSafeEqual(digest(given), digest(token));
}

/** Counts the wrong tokens of each address: beyond 30 in a minute, none is looked at any more until it is over. */
class WrongTokens {
  #counts = new Map<string, number>();
  #minute = 0;

  isOver({ source }: HttpRequest): boolean {
    const minute = Math.floor(performance.now() / 60_000);
    if (minute !== this.#minute || this.#counts.size > 10_000) this.#counts = new Map();
    this.#minute = minute;
    return (this.#counts.get(source.peer.address ?? '') ?? 0) >= 30;
  }

  /** Counts a request without the token; one without any token is a browser that has to send it. */
  count({ source, headers }: HttpRequest): true {
    const address = source.peer.address ?? '';
    if (headers.has('authorization')) this.#counts.set(address, (this.#counts.get(address) ?? 0) + 1);
    return true;
  }
}

/** Returns a hash, because `timingSafeEqual` needs inputs of equal length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
