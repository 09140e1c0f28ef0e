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

/** Where extensions are installed, and what they have added by now. */
export interface InstallPlace {
  readonly dispatcher: Dispatcher;
  readonly routes: RouteCollection;
  readonly extensions: Extension[];
  readonly around: Around[];
  readonly unrecordedPaths: Set<string>;
  readonly startTap: (tap: Tap) => void;
  /** Puts what records beside a layer. */
  readonly trace: (layer: Around) => Around;
}

/** Adds all that can be added to an application that is made: everything but what the profiler is made with. */
export function installExtension(extension: Extension, place: InstallPlace): void {
  const { dispatcher, routes, extensions, around, unrecordedPaths, trace, startTap } = place;
  for (const route of extension.routes ?? []) addRoute(routes, route);
  addKernelListeners(dispatcher, extension.listeners ?? []);
  around.push(...(extension.around ?? []).map(trace));
  for (const path of extension.unrecordedPaths ?? []) unrecordedPaths.add(path);
  for (const tap of extension.taps ?? []) startTap(tap);
  if (!extensions.includes(extension)) extensions.push(extension);
}

/** `app.use`: refuses what cannot be added any more. */
export function createUse(place: InstallPlace, app: () => App): App['use'] {
  return (extension) => {
    if ((extension.collectors ?? extension.panels ?? extension.sinks) !== undefined)
      throw frameworkErrors.create('FRAMEWORK_EXTENSION_LATE', { name: extension.name });
    installExtension(extension, place);
    return app();
  };
}

/** The collectors and panels of the options, and those of the extensions. */
export function profilerAdditions(options: AppOptions, extensions: readonly Extension[]): ProfilerAdditions {
  const { collectors = [], panels = [], sinks = [], ...rest } = options.profiler ?? {};
  return {
    ...rest,
    collectors: [...collectors, ...extensions.flatMap((extension) => extension.collectors ?? [])],
    panels: [...panels, ...extensions.flatMap((extension) => extension.panels ?? [])],
    sinks: [...sinks, ...extensions.flatMap((extension) => extension.sinks ?? [])],
  };
}

/** The extensions of an application: those it was given, and what stands in for those it was not. */
export function appExtensions(options: AppOptions): Extension[] {
  return [
    options.persistence ?? noPersistence(),
    options.locale ?? createLocale({ enabled: ['en'], contentLanguage: false }),
    options.security ?? createSecurity({ sessions: false }),
    ...(options.extensions ?? []),
  ];
}
