import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpResponse } from '#core/http';

/** A server on a free port of this machine, for a browser to visit. */
export interface PageServer {
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves the result of `answer` for a target and the raw headers; 404 if it returns nothing. */
export async function servePages(
  answer: (target: string, rawHeaders: readonly string[]) => Promise<HttpResponse | undefined>,
): Promise<PageServer> {
  const server = createServer((request, response) => {
    answer(request.url ?? '/', request.rawHeaders).then(
      (page) => {
        response.writeHead(page?.status ?? 404, [...(page?.headers.flat ?? [])]);
        response.end(typeof page?.body === 'string' ? page.body : undefined);
      },
      (error: unknown) => {
        response.statusCode = 500;
        response.end(error instanceof Error ? error.stack : 'failed');
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
