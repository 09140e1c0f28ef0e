import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:http';
import { HttpRequest } from '#http';
import { sendResponse } from '../pages/send-response.js';
import type { Attachment } from '../attachment/attachment.js';
import { readForeignSource } from '../watch/foreign-source.js';

/** Where the pages are served apart from the application. */
export interface PagesServerOptions {
  readonly port: number;
  /** Noted here, so that nothing is attached to it. */
  readonly own: WeakSet<Server>;
  readonly tell: (line: string) => void;
}

const serving = new WeakSet<Attachment>();

/** The profiler's pages on a port of their own, on this machine's address only. It does not keep the process. */
export function servePages(attachment: Attachment, { port, own, tell }: PagesServerOptions): void {
  if (serving.has(attachment)) return;
  serving.add(attachment);
  const server = createServer((incoming, outgoing) => {
    const request = new HttpRequest(readForeignSource(incoming));
    if (!attachment.isShown(request)) outgoing.writeHead(403).end('Forbidden\n');
    else if (attachment.pages.has(request))
      attachment.pages.respond(request).then(
        (page) => sendResponse(outgoing, page),
        () => undefined,
      );
    else outgoing.writeHead(302, { Location: `${attachment.settings.prefix}/` }).end();
  });
  own.add(server);
  // A worker of the same program serves them already.
  server.on('error', (error) => tell(`The profiler cannot be served on port ${port}: ${error.message}`));
  server.listen({ port, host: '127.0.0.1', exclusive: false }, () => {
    const { port: taken } = server.address() as AddressInfo; // it listens on a port
    tell(`records of every request: http://localhost:${taken}${attachment.settings.prefix}/`);
  });
  server.unref();
}
