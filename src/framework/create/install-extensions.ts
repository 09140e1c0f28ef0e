import type { Around } from '#controller';
import type { Dispatcher } from '#events';
import { addKernelListeners } from '#kernel';
import type { Profiler } from '#profiler';
import type { RouteCollection } from '#routing';
import type { App } from '../app/app.js';
import type { AppOptions, ProfilerAdditions } from '../app/app-options.js';
import type { Extension } from '../app/extension.js';
import { frameworkErrors } from '../configuration/error-codes.js';
import { addRoute } from '../routes/declare-routes.js';
import { traceLayer } from '../routes/traceable-controllers.js';

/** Where extensions are installed, and what they have added by now. */
export interface InstallPlace {
  readonly dispatcher: Dispatcher;
  readonly routes: RouteCollection;
  readonly extensions: Extension[];
  readonly around: Around[];
  readonly unrecordedPaths: Set<string>;
  /** Puts what records beside a layer. */
  readonly trace: (layer: Around) => Around;
}

export function createPlace(
  { dispatcher, profiler }: { readonly dispatcher: Dispatcher; readonly profiler: Profiler | undefined },
  parts: Pick<InstallPlace, 'routes' | 'extensions' | 'unrecordedPaths'> & Pick<AppOptions, 'around'>,
): InstallPlace {
  const trace = profiler === undefined ? (layer: Around): Around => layer : traceLayer;
  const { routes, extensions, unrecordedPaths, around = [] } = parts;
  return { dispatcher, routes, extensions, unrecordedPaths, trace, around: around.map(trace) };
}

/** Adds all that can be added to an application that is made: everything but what the profiler is made with. */
export function installExtension(extension: Extension, place: InstallPlace): void {
  const { dispatcher, routes, extensions, around, unrecordedPaths, trace } = place;
  for (const route of extension.routes ?? []) addRoute(routes, route);
  addKernelListeners(dispatcher, extension.listeners ?? []);
  around.push(...(extension.around ?? []).map(trace));
  for (const path of extension.unrecordedPaths ?? []) unrecordedPaths.add(path);
  if (!extensions.includes(extension)) extensions.push(extension);
}

/** `app.use`: refuses what cannot be added any more. */
export function createUse(place: InstallPlace, app: () => App): App['use'] {
  return (extension) => {
    if ((extension.collectors ?? extension.panels) !== undefined)
      throw frameworkErrors.create('FRAMEWORK_EXTENSION_LATE', { name: extension.name });
    installExtension(extension, place);
    return app();
  };
}

/** The collectors and panels of the options, and those of the extensions. */
export function profilerAdditions(options: AppOptions, extensions: readonly Extension[]): ProfilerAdditions {
  const { collectors = [], panels = [] } = options.profiler ?? {};
  return {
    collectors: [...collectors, ...extensions.flatMap((extension) => extension.collectors ?? [])],
    panels: [...panels, ...extensions.flatMap((extension) => extension.panels ?? [])],
  };
}
