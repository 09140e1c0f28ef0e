import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { variableOptions } from '#profiler/option-schemas';
import { environmentOf, isFirstWorker, VariableReader } from '#profiler/setup';
import { startInstrumentations } from '#profiler/instrumentation';
import { attachmentOf, type Attachment } from '../attachment/attachment.js';
import { watchFrameworks } from '../frameworks/watch-frameworks.js';
import { toPageRequest, sendResponse } from '../pages/attached-pages.js';
import type { AttachSettings } from '../watch/attach-options.js';
import { type Intercept, ownServer, report } from './intercept-emit.js';
import { watchRequests } from './watch-server.js';

/** Returns a function that records the requests to all servers whose emissions it receives, until the process ends. */
export async function watchProcess(): Promise<Intercept> {
  const reader = new VariableReader(process.env);
  const separate = reader.number(variableOptions.port); // otherwise the application's own port
  const attachment = attachmentOf(separate === undefined ? undefined : { pages: false });
  if (!attachment.settings.enabled) return ({ go }) => go();
  if (environmentOf(process.env) === 'prod')
    report(`RECORDING IN PRODUCTION, because LOOKBACK=on: ${describeRecording(attachment.settings)}`);
  const frameworks = watchFrameworks();
  await Promise.all([frameworks.ready, startInstrumentations().ready]);
  const watch = watchRequests(attachment, frameworks);
  const { profiler } = attachment.prepare();
  await attachment.ready({ keepsAlive: false });
  return (emission) => {
    // Without SQLite nothing is recorded; stderr has already said why.
    if (emission.event === 'listening' && !profiler.isOff) {
      if (separate === undefined) reportUrl(emission.server, attachment.settings.prefix);
      else servePages(attachment, separate);
    }
    return watch(emission);
  };
}

const maxReported = 3;
let reported = 0; // servers in this thread whose URL was printed

/** Prints the URLs of the first servers, because the application's own may not be the first to listen. */
function reportUrl(server: Server, prefix: string): void {
  // Skips further cluster workers, and further servers in tests.
  if (reported === maxReported || !isFirstWorker()) return;
  reported++;
  const address = server.address() as AddressInfo | string | null; // the return type of `net.Server`
  if (address === null || typeof address === 'string') return;
  const scheme = 'setSecureContext' in server ? 'https' : 'http';
  report(`records of every request: ${scheme}://localhost:${address.port}${prefix}/`);
}

function describeRecording({ sample, bodies }: AttachSettings): string {
  const { rate = 1 } = sample;
  const share =
    rate === 1 ? 'every request' : `${rate * 100} % of the requests, all that fail and all that are slow`;
  return `${share}, with headers, ${bodies ? 'with' : 'without'} bodies. PROFILER_SAMPLE sets the share.`;
}

const serving = new WeakSet<Attachment>();

/** Serves the profiler's pages to this machine on a separate port. The server does not keep the process alive. */
function servePages(attachment: Attachment, port: number): void {
  if (serving.has(attachment)) return;
  serving.add(attachment);
  const server = createServer((incoming, outgoing) => {
    const request = toPageRequest(incoming, outgoing);
    if (!attachment.isShown(request)) outgoing.writeHead(403).end('Forbidden\n');
    else if (attachment.pages.has(request))
      attachment.pages.respond(request).then(
        (page) => sendResponse(outgoing, page),
        () => undefined,
      );
    else outgoing.writeHead(302, { Location: `${attachment.settings.prefix}/` }).end();
  });
  Object.defineProperty(server, ownServer, { value: true });
  // Usually, another worker in the same program already serves them.
  server.on('error', (error) => report(`The profiler cannot be served on port ${port}: ${error.message}`));
  server.listen({ port, host: '127.0.0.1', exclusive: false }, () => {
    const { port: taken } = server.address() as AddressInfo; // it listens on a port, not on a path
    report(`records of every request: http://localhost:${taken}${attachment.settings.prefix}/`);
  });
  server.unref();
}
