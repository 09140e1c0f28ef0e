import { describeThrown } from '#errors';
import type { Socket } from 'node:net';
import type { NodeServer, NodeServerOptions, UpgradeHandler } from '#http/node';
import { createNodeServer, createUpgradeHandler } from '#http/node';
import { type Kernel, matchContext } from '#kernel';
import type { Logger } from '#log';
import { currentRecording, type Profiler } from '#profiler';
import { matchRoute } from '#routing';
import { runInScope } from '#scope';
import type { AppFoundation } from '../app/app-foundation.js';
import type { Extension } from '../app/extension.js';
import type { App, RunningServer } from '../app/app.js';
import { frameworkErrors } from '../configuration/error-codes.js';
import { isUpgrading } from '../routes/route-target.js';
import { warnAboutRoutes } from '../routes/warn-about-routes.js';

/** Milliseconds for requests in flight when the server stops; the rest of the five seconds is for writing records. */
const graceMs = 3000;

export interface ServingParts extends Pick<
  AppFoundation,
  'configuration' | 'trust' | 'limits' | 'routes' | 'tableFor'
> {
  readonly kernel: Kernel;
  readonly log: Logger;
  readonly profiler: Profiler | undefined;
  /**
   * Closed after the server and before the extensions, so that records are written even if an extension fails to close.
   */
  readonly recording: Closable;
  /** Closed in reverse order. */
  readonly extensions: readonly Extension[];
}

/** Creates the methods of an application that serve it over sockets. */
export function createServing(parts: ServingParts): Pick<App, 'listen' | 'close' | 'upgrade'> {
  const { configuration } = parts;
  let upgrades: UpgradeHandler | undefined;
  let running: RunningServer | undefined;
  return {
    async listen(options = {}) {
      if (running !== undefined)
        throw frameworkErrors.create('FRAMEWORK_LISTENING_TWICE', { url: running.url });
      const server = createServer(parts);
      const listening = await server.listen({
        host: options.host ?? configuration.host,
        port: options.port ?? configuration.port,
      });
      parts.profiler?.start();
      running = {
        url: listening.url,
        port: listening.port,
        async close() {
          running = undefined;
          // The timeout ensures that records are written even if a terminate listener never finishes.
          await waitAtMost(graceMs + 250, listening.close({ graceMs }));
        },
      };
      if (configuration.debug) warnAboutRoutes(parts.routes, parts.log.channel('router'));
      return running;
    },
    upgrade(message, socket, head) {
      upgrades ??= createUpgradeHandler(serverOptions(parts));
      const upgrade = { message, socket: socket as Socket, head }; // the connections of node:http servers are sockets
      return upgrades.handle(upgrade, (request) => {
        const found = matchRoute(parts.tableFor(request), matchContext(request));
        return found.kind === 'match' && isUpgrading(found.route);
      });
    },
    async close() {
      const { extensions, recording, log } = parts;
      for (const extension of extensions) notifyStopping(extension, log);
      await Promise.all([running?.close(), waitAtMost(graceMs, upgrades?.close() ?? Promise.resolve())]);
      for (const part of [recording, ...extensions.toReversed()]) await closeQuietly(part, log);
    },
  };
}

function createServer(parts: ServingParts): NodeServer {
  const { configuration, routes } = parts;
  return createNodeServer({
    ...serverOptions(parts),
    takesUpgrades: routes.all().some(isUpgrading),
    tls: configuration.tls,
  });
}

function serverOptions({ configuration, kernel, trust, limits, log }: ServingParts): NodeServerOptions {
  return {
    handle: kernel.handle,
    terminate: kernel.terminate,
    onError: (error, request) => {
      const report = (): void => {
        log.channel('server').error(`An error that no client was shown: ${describeThrown(error)}`, { error });
        currentRecording()?.lateError(error);
      };
      if (request === undefined) report();
      else runInScope(request.scope, report);
    },
    trust,
    limits,
    plainHeaders: configuration.debug ? { 'X-Robots-Tag': 'noindex' } : {},
  };
}

/** Resolves like the promise, or to undefined after a timeout. */
export async function waitAtMost<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, milliseconds, undefined)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface Closable {
  close?(): void | Promise<void>;
}

function notifyStopping(extension: Extension, log: Logger): void {
  try {
    extension.stopping?.();
  } catch (error) {
    log.error(`The extension ${extension.name} failed when the application began to close.`, { error });
  }
}

/** Closes a part of the application. Logs a failure instead of throwing, so that the other parts are closed too. */
async function closeQuietly(part: Closable, log: Logger): Promise<void> {
  try {
    await part.close?.();
  } catch (error) {
    log.error('A part of the application could not be closed.', { error });
  }
}
