import { setTimeout as pause } from 'node:timers/promises';
import { checkOptions, type OptionsSchema, optionsSchema, text, whole } from '#core/options';
import { describeThrown, watchLocalVariables } from '#core/errors';
import { createNodeServer, type NodeServer } from '#core/http/node';
import type { Kernel } from '#framework/kernel';
import type { Logger } from '#core/log';
import { currentRecording } from '#profiler';
import { runInScope } from '#core/scope';
import type { AppFoundation, Extension } from '../app-options.js';
import type { AttachedRecording } from '../recording/attach-recording.js';
import { readyMs } from '../recording/record-command.js';
import { warnAboutRoutes } from '../routes/route-table.js';
import type { App, RunningServer } from '../app.js';
import { frameworkErrors } from '../configuration/error-codes.js';
import { isUpgrading } from '../routes/declare-routes.js';

/** Milliseconds for requests in flight when the server stops; the rest of the five seconds is for writing records. */
const graceMs = 3000;

const hostsWarning =
  'TRUSTED_HOSTS is empty, so any client can choose the host of request.origin. WebSockets from browsers and logins that need the origin are refused. Set it to the host names of your site, or to * to accept every host.';

export interface ServingParts extends AppFoundation {
  readonly kernel: Kernel;
  readonly log: Logger;
  /** Closed before the extensions, so that records are written even if one of them fails to close. */
  readonly recording: Pick<AttachedRecording, 'profiler' | 'close'>;
  readonly start: App['start'];
  /** Closed in reverse order. */
  readonly extensions: readonly Extension[];
}

type AppListenOptions = NonNullable<Parameters<App['listen']>[0]>;

export const listenSchema: OptionsSchema<AppListenOptions> = optionsSchema<AppListenOptions>({
  host: text,
  port: whole({ min: 0, max: 65_535 }),
});

/** Creates the application methods that serve it over sockets. */
export function createServing(parts: ServingParts): Pick<App, 'listen' | 'close'> {
  const { configuration } = parts;
  let running: RunningServer | undefined;
  let unwatch: (() => void) | undefined;
  return {
    async listen(options = {}) {
      checkOptions('listen()', options, listenSchema);
      if (running !== undefined)
        throw frameworkErrors.create('FRAMEWORK_LISTENING_TWICE', { url: running.url });
      const server = createServer(parts);
      await parts.recording.profiler?.ready(readyMs);
      const listening = await server.listen({
        host: options.host ?? configuration.host,
        port: options.port ?? configuration.port,
      });
      const { debug, env, locals } = configuration;
      if (debug && env === 'dev' && locals) unwatch ??= watchLocalVariables(parts);
      // Otherwise the first response would wait for it, and its record would show this. Failures surface there, and are
      // reported.
      if (debug && parts.recording.profiler !== undefined)
        import('../recording/finish-page.js').catch(() => undefined);
      running = {
        url: listening.url,
        port: listening.port,
        async close() {
          running = undefined;
          // The timeout ensures that records are written even if a terminate listener never finishes.
          const isOver = new AbortController();
          const late = pause(graceMs + 250, undefined, { signal: isOver.signal }).catch(() => undefined);
          await Promise.race([listening.close({ graceMs }), late]).finally(() => isOver.abort());
        },
      };
      await parts.start().catch(async (error: unknown) => {
        await running?.close();
        throw error;
      });
      if (!parts.trust.namesHosts) parts.log.channel('server').warning(hostsWarning);
      if (configuration.debug) warnAboutRoutes(parts.routes, parts.log.channel('router'));
      return running;
    },
    async close() {
      unwatch?.();
      const { extensions, recording, log } = parts;
      const end = async (step: () => void | Promise<void>): Promise<void> => {
        try {
          await step();
        } catch (error) {
          log.error('Part of the application could not be closed.', { error }); // the other parts are closed as well
        }
      };
      for (const extension of extensions) await end(() => extension.stopping?.());
      await running?.close();
      for (const part of [recording, ...extensions.toReversed()]) await end(() => part.close?.());
    },
  };
}

/** Creates `app.start`, which starts the extensions in order, once. */
export function createStart(
  extensions: readonly Extension[],
): Pick<App, 'start'> & { readonly isStarted: () => boolean } {
  let started: Promise<void> | undefined;
  const startAll = async (): Promise<void> => {
    for (const extension of extensions) await extension.started?.();
  };
  return { start: () => (started ??= startAll()), isStarted: () => started !== undefined };
}

function createServer({ configuration, kernel, trust, limits, log, routes }: ServingParts): NodeServer {
  return createNodeServer({
    handle: kernel.handle,
    terminate: kernel.terminate,
    onError: (error, request) => {
      const report = (): void => {
        log.channel('server').error(`An error was shown to no client: ${describeThrown(error)}`, { error });
        currentRecording()?.lateError(error);
      };
      if (request === undefined) report();
      else runInScope(request.scope, report);
    },
    trust,
    limits,
    plainHeaders: configuration.debug ? { 'X-Robots-Tag': 'noindex' } : {},
    takesUpgrades: routes.all().some(isUpgrading),
    tls: configuration.tls,
  });
}
