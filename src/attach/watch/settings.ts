import type { AttachOptions } from './attach-options.js';

/** Options with every default in its place. */
export interface AttachSettings extends AttachOptions {
  readonly enabled: boolean;
  readonly store: string;
  readonly prefix: string;
  readonly bodies: boolean;
  readonly pages: boolean;
  readonly errorPage: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** What options and environment say together; options win. */
export function readSettings(options: AttachOptions, variables: Variables = process.env): AttachSettings {
  const isTest = variables['NODE_ENV'] === 'test';
  const editor = options.editor ?? variables['LOOKBACK_IDE'];
  return {
    ...options,
    enabled: options.enabled ?? isEnabled(variables),
    store: options.store ?? variables['PROFILER_STORE'] ?? (isTest ? 'memory:' : 'sqlite:var/profiler.db'),
    prefix: options.prefix ?? '/_profiler',
    bodies: options.bodies ?? true,
    pages: options.pages ?? true,
    errorPage: options.errorPage ?? false,
    ...(editor === undefined ? {} : { editor }),
  };
}

/** `LOOKBACK=on` or `off` decides; else everything but production is watched. */
function isEnabled(variables: Variables): boolean {
  const said = variables['LOOKBACK']?.toLowerCase();
  if (said === 'on' || said === '1' || said === 'true' || said === 'yes') return true;
  if (said === 'off' || said === '0' || said === 'false' || said === 'no') return false;
  return variables['NODE_ENV'] !== 'production' && variables['PROFILER_STORE'] !== 'off';
}
