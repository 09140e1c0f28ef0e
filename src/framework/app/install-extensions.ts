import { type Command, createCommand } from '#core/command';
import type { Around } from '#framework/controller';
import type { Dispatcher } from '#core/events';
import { addKernelListeners } from '#framework/kernel';
import { createLocale } from '#framework/locale';
import { checkOptions, checkValue } from '#core/options';
import { sectionsOption } from '#profiler/option-schemas';
import type { RouteCollection } from '#core/routing';
import { createSecurity } from '#framework/security';
import {
  type AppOptions,
  type Extension,
  extensionSchema,
  type Instrumentation,
  type ProfilerAdditions,
} from './app-options.js';
import { addRoute } from './routes/declare-routes.js';
import type { App } from './app.js';
import { frameworkErrors } from './configuration/error-codes.js';

/** The parts of an application to which extensions are added. */
interface InstallTarget {
  readonly dispatcher: Dispatcher;
  readonly routes: RouteCollection;
  readonly extensions: Extension[];
  readonly around: Around[];
  readonly unrecordedPaths: Set<string>;
  readonly startInstrumentation: (instrumentation: Instrumentation) => void;
  readonly isStarted: () => boolean;
  /** Notes the names of the extensions, which records show. */
  readonly describeExtensions: (names: readonly string[]) => void;
  /** Wraps a layer so that its time is recorded. */
  readonly trace: (layer: Around) => Around;
}

/** Adds extensions to an application, except their sections, which the profiler gets when it is created. */
export function installExtensions(added: readonly Extension[], target: InstallTarget): void {
  for (const extension of added) installExtension(extension, target);
  target.describeExtensions(target.extensions.map(({ name }) => name));
}

function installExtension(extension: Extension, target: InstallTarget): void {
  const { dispatcher, routes, extensions, around, unrecordedPaths, trace, startInstrumentation } = target;
  for (const route of extension.routes ?? []) addRoute(routes, route);
  addKernelListeners(dispatcher, extension.listeners ?? []);
  around.push(...(extension.around ?? []).map(trace));
  for (const path of extension.unrecordedPaths ?? []) unrecordedPaths.add(path);
  for (const instrumentation of extension.instrumentations ?? []) startInstrumentation(instrumentation);
  if (!extensions.includes(extension)) extensions.push(extension);
}

/** Creates `app.use`, which refuses extensions that must be passed to `createApp`. */
export function createUse(target: InstallTarget, app: () => App): App['use'] {
  return (extension) => {
    checkOptions('app.use()', extension, extensionSchema);
    const { name, sections } = extension;
    const isLate = extension.started !== undefined && target.isStarted();
    if (isLate || sections !== undefined) throw frameworkErrors.create('FRAMEWORK_EXTENSION_LATE', { name });
    installExtensions([extension], target);
    return app();
  };
}

/**
 * Returns the options' sections together with the extensions' sections.
 * @throws OPTIONS_BAD_VALUE if two of them have the same id
 */
export function profilerAdditions(options: AppOptions, extensions: readonly Extension[]): ProfilerAdditions {
  const { sections = [], ...rest } = options.profiler ?? {};
  const all = [...sections, ...extensions.flatMap((extension) => extension.sections ?? [])];
  checkValue('createApp()', 'sections', all, sectionsOption);
  return { ...rest, sections: all };
}

export function appExtensions({ persistence, locale, security, extensions = [] }: AppOptions): Extension[] {
  const all = {
    persistence: persistence === undefined ? [] : [persistence],
    locale: [locale ?? createLocale({ enabled: ['en'], contentLanguage: false })],
    security: [security ?? createSecurity({ sessions: false })],
    extensions,
  };
  // Passing only `createSecurity` options, for example, would protect nothing.
  for (const [option, given] of Object.entries(all))
    for (const extension of given)
      if (typeof extension !== 'object' || typeof extension.name !== 'string')
        throw frameworkErrors.create('FRAMEWORK_NOT_AN_EXTENSION', { option });
  return Object.values(all).flat();
}

/** Creates the application methods that define and list commands. */
export function createCommands(
  extensions: readonly Extension[],
  app: () => App,
): Pick<App, 'command' | 'commands'> {
  const own: Command[] = [];
  return {
    command(name, definition, run) {
      if (own.some((command) => command.name === name))
        throw frameworkErrors.create('FRAMEWORK_DUPLICATE_COMMAND', { name });
      own.push(createCommand(name, definition, run));
      return app();
    },
    async commands() {
      const added = await Promise.all(
        extensions.map(async (extension) => (await extension.commands?.()) ?? []),
      );
      const names = new Set(own.map(({ name }) => name));
      return [...own, ...added.flat().filter(({ name }) => !names.has(name))];
    },
  };
}
