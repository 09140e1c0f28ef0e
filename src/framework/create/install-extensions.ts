import type { Around } from '#controller';
import type { Dispatcher } from '#events';
import { addKernelListeners } from '#kernel';
import type { RouteCollection } from '#routing';
import type { App } from '../app/app.js';
import type { AppOptions, ProfilerAdditions } from '../app/app-options.js';
import type { Extension, Tap } from '../app/extension.js';
import { frameworkErrors } from '../configuration/error-codes.js';
import { addRoute } from '../routes/declare-routes.js';
import { createLocale } from '#locale';
import { createSecurity } from '#security';
import { noPersistence } from './deferred-persistence.js';

/** The parts of an application to which extensions are added. */
export interface InstallTarget {
  readonly dispatcher: Dispatcher;
  readonly routes: RouteCollection;
  readonly extensions: Extension[];
  readonly around: Around[];
  readonly unrecordedPaths: Set<string>;
  readonly startTap: (tap: Tap) => void;
  /** Wraps a layer so that its time is recorded. */
  readonly trace: (layer: Around) => Around;
}

/**
 * Adds an extension to an existing application, except its collectors, panels and sinks, with which the profiler is
 * created.
 */
export function installExtension(extension: Extension, target: InstallTarget): void {
  const { dispatcher, routes, extensions, around, unrecordedPaths, trace, startTap } = target;
  for (const route of extension.routes ?? []) addRoute(routes, route);
  addKernelListeners(dispatcher, extension.listeners ?? []);
  around.push(...(extension.around ?? []).map(trace));
  for (const path of extension.unrecordedPaths ?? []) unrecordedPaths.add(path);
  for (const tap of extension.taps ?? []) startTap(tap);
  if (!extensions.includes(extension)) extensions.push(extension);
}

/** Creates `app.use`, which refuses extensions that must be passed to `createApp`. */
export function createUse(target: InstallTarget, app: () => App): App['use'] {
  return (extension) => {
    if ((extension.collectors ?? extension.panels ?? extension.sinks) !== undefined)
      throw frameworkErrors.create('FRAMEWORK_EXTENSION_LATE', { name: extension.name });
    installExtension(extension, target);
    return app();
  };
}

/** Returns the collectors, panels and sinks of the options together with those of the extensions. */
export function profilerAdditions(options: AppOptions, extensions: readonly Extension[]): ProfilerAdditions {
  const { collectors = [], panels = [], sinks = [], ...rest } = options.profiler ?? {};
  return {
    ...rest,
    collectors: [...collectors, ...extensions.flatMap((extension) => extension.collectors ?? [])],
    panels: [...panels, ...extensions.flatMap((extension) => extension.panels ?? [])],
    sinks: [...sinks, ...extensions.flatMap((extension) => extension.sinks ?? [])],
  };
}

/** Returns the extensions of an application, with defaults for persistence, locale and security. */
export function appExtensions(options: AppOptions): Extension[] {
  return [
    options.persistence ?? noPersistence(),
    options.locale ?? createLocale({ enabled: ['en'], contentLanguage: false }),
    options.security ?? createSecurity({ sessions: false }),
    ...(options.extensions ?? []),
  ];
}
