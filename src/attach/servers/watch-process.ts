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

/** Returns the function that records the requests of all servers whose emissions it receives, until the process ends. */
export async function watchProcess(): Promise<Intercept> {
  const separate = readPagesAddress(process.env);
  const attachment = attachmentOf(separate === undefined ? undefined : { pages: false });
  // Checked again: the application may have loaded an environment file since `register` ran.
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

let isReported = false; // the URL is printed once per thread

function reportUrl(server: Server, prefix: string): void {
  // One line per program and listening thread, not per server or worker of a cluster.
  if (isReported || (cluster.worker?.id ?? 1) !== 1) return;
  isReported = true;
  const address = server.address() as AddressInfo | string | null; // the return type of `net.Server`
  if (address === null || typeof address === 'string') return;
  const scheme = 'setSecureContext' in server ? 'https' : 'http';
  report(`records of every request: ${scheme}://localhost:${address.port}${prefix}/`);
}
function report(line: string): void {
  process.stderr.write(`lookback: ${line}\n`);
}

/** Describes what is recorded, for the output of a start in production. */
function describe({ sample, bodies }: AttachSettings): string {
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
