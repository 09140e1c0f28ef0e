import cluster from 'node:cluster';
import type { AddressInfo, Server } from 'node:net';
import { currentRecording } from '#profiler';
import { startTaps } from '#taps';
import { attachmentOf } from '../attachment/attachment.js';
import { watchFrameworks } from '../frameworks/watch-frameworks.js';
import type { AttachSettings } from '../watch/settings.js';
import type { Intercept } from './intercept-emit.js';
import { type PagesServerOptions, servePages } from './serve-pages.js';
import { watchRequests } from './watch-server.js';

/** Records the requests of all servers whose emissions it is given, until the process ends. */
export async function watchProcess(): Promise<Intercept> {
  const separate = readSeparate(process.env);
  const attachment = attachmentOf(separate === undefined ? undefined : { pages: false });
  // The application may have read its own file of variables meanwhile.
  if (!attachment.isEnabled) return ({ go }) => go();
  if (process.env['NODE_ENV'] === 'production')
    report(`RECORDING IN PRODUCTION, because LOOKBACK=on: ${describe(attachment.settings)}`);
  process.on('uncaughtExceptionMonitor', (error) => currentRecording()?.lateError(error));
  const frameworks = watchFrameworks();
  await Promise.all([frameworks.ready, startTaps().ready]);
  const watch = watchRequests(attachment, frameworks);
  return (emission) => {
    if (emission.event === 'listening') {
      if (separate === undefined) reportUrl(emission.server, attachment.settings.prefix);
      else servePages(attachment, { ...separate, report });
    }
    return watch(emission);
  };
}

let isReported = false; // the URL is printed once for a thread

function reportUrl(server: Server, prefix: string): void {
  // One line for a program, and for each thread that listens on its own: not for each of its servers, nor for each worker of a cluster.
  if (isReported || (cluster.worker?.id ?? 1) !== 1) return;
  isReported = true;
  const address = server.address() as AddressInfo | string | null; // of net.Server
  if (address === null || typeof address === 'string') return;
  const scheme = 'setSecureContext' in server ? 'https' : 'http';
  report(`records of every request: ${scheme}://localhost:${address.port}${prefix}/`);
}
function report(line: string): void {
  process.stderr.write(`lookback: ${line}\n`);
}

/** What is kept, for readers of a production start's output. */
function describe({ sample, bodies }: AttachSettings): string {
  const { rate = 1 } = sample;
  const share =
    rate === 1 ? 'every request' : `${rate * 100} % of the requests, all that fail and all that are slow`;
  return `${share}, with headers, ${bodies ? 'with' : 'without'} bodies. PROFILER_SAMPLE sets the share.`;
}

type Separate = Omit<PagesServerOptions, 'report'>;

/** A port for the pages alone; undefined where they are on the application's. What is wrong with it is said, and it is left out. */
function readSeparate(variables: NodeJS.ProcessEnv): Separate | undefined {
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
