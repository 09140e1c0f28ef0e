import { createHash, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import type { HttpRequest } from '#http';
import { toPageRequest } from '../pages/page-request.js';
import { sendResponse } from '../pages/send-response.js';
import type { Attachment } from '../attachment/attachment.js';
import { ownServer } from './intercept-emit.js';

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
  const server = createServer((incoming, outgoing) => {
    const request = toPageRequest(incoming, outgoing);
    if (token !== undefined && !hasToken(request, token))
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
  const given =
    scheme.toLowerCase() === 'basic'
      ? Buffer.from(credentials, 'base64')
          .toString()
          .replace(/^[^:]*:/, '')
      : credentials;
  return timingSafeEqual(digest(given), digest(token));
}

/** Returns a hash, because `timingSafeEqual` needs inputs of equal length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
