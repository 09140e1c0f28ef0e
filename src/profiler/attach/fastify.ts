import type { FastifyInstance } from 'fastify';
import { safely } from '#core/coded-error';
import { readOptions } from '#core/options';
import { type AttachOptions, attachSchema, readSettings } from './watch/attach-options.js';

export type { AttachOptions } from './watch/attach-options.js';

type Plugin = (app: FastifyInstance, options: AttachOptions) => Promise<void>;

/**
 * Records the requests of a Fastify 4 or 5 application. Register it first: `app.register(lookback())` or
 * `app.register(lookback, options)`. Records contain the route with pattern and parameters, the handler, the times of
 * its hooks, and errors. The profiler's pages are under `/_profiler`. With `errorPage` it sets the error handler, which
 * rethrows errors that it does not answer.
 */
export function lookback(options?: AttachOptions): Plugin;
export function lookback(app: FastifyInstance, options: AttachOptions): Promise<void>;
export function lookback(
  first: AttachOptions | FastifyInstance = {},
  options: AttachOptions = {},
): Plugin | Promise<void> {
  if (isApplication(first)) return install(first, options); // called by Fastify
  const given = readOptions('lookback', first, attachSchema); // validated even if nothing is recorded
  return forWholeApp((app, more) =>
    install(app, { ...given, ...readOptions('lookback', more, attachSchema) }),
  );
}

/** An object that cannot be read is no application; it is refused as options are. */
function isApplication(value: AttachOptions | FastifyInstance): value is FastifyInstance {
  return typeof value === 'object' && value !== null && safely(() => 'addHook' in value, false);
}

async function install(app: FastifyInstance, options: AttachOptions): Promise<void> {
  const given = readOptions('lookback', options, attachSchema);
  if (!readSettings(given).enabled) return;
  const adapter = await import('./frameworks/fastify.js'); // only if requests are recorded
  await adapter.install(app, given);
}

/** Applies the plugin's hooks to the whole application instead of an encapsulated context. */
function forWholeApp(plugin: Plugin): Plugin {
  return Object.assign(plugin, {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: 'lookback',
    [Symbol.for('plugin-meta')]: { fastify: '>=4', name: 'lookback' },
  });
}

forWholeApp(lookback);
