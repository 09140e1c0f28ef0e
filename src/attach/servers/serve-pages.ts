import { createHash, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import type { HttpRequest } from '#http';
import { toPageRequest } from '../pages/page-request.js';
import { sendResponse } from '../pages/send-response.js';
import type { Attachment } from '../attachment/attachment.js';
import { ownServer } from './intercept-emit.js';

/** Where the pages are served apart from the application. */
export interface PagesServerOptions {
  readonly port: number;
  /** Default `127.0.0.1`. Any other takes a token. */
  readonly host: string;
  /** Opens the pages to clients that send it, instead of to this machine only. */
  readonly token: string | undefined;
  readonly report: (line: string) => void;
}

const serving = new WeakSet<Attachment>();

/** The profiler's pages on a port of their own. It does not keep the process. */
export function servePages(attachment: Attachment, options: PagesServerOptions): void {
  if (serving.has(attachment)) return;
  serving.add(attachment);
  const { port, host, token, report } = options;
  const server = createServer((incoming, outgoing) => {
    const request = toPageRequest(incoming, outgoing);
    if (token !== undefined && !givesToken(request, token))
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
  // A worker of the same program serves them already.
  server.on('error', (error) => report(`The profiler cannot be served on port ${port}: ${error.message}`));
  server.listen({ port, host, exclusive: false }, () => {
    const { port: taken } = server.address() as AddressInfo; // it listens on a port
    const name = host === '127.0.0.1' ? 'localhost' : host;
    report(`records of every request: http://${name}:${taken}${attachment.settings.prefix}/`);
  });
  server.unref();
}

/**
 * As a bearer token (RFC 6750), or as the password of any name (RFC 7617), for which browsers prompt. A page of
 * another site that has a browser send it gets nothing: no answer may be read across origins.
 */
function givesToken({ headers }: HttpRequest, token: string): boolean {
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

/** Of one length, whatever was given. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
