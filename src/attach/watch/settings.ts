import type { SampleOptions } from '#profiler';
import type { AttachOptions } from './attach-options.js';

/** Options with every default in its place. */
export interface AttachSettings extends AttachOptions {
  readonly enabled: boolean;
  readonly store: string;
  readonly prefix: string;
  readonly bodies: boolean;
  readonly pages: boolean;
  readonly errorPage: boolean;
  readonly sample: SampleOptions;
  readonly toolbar: boolean;
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
    bodies: options.bodies ?? variables['NODE_ENV'] !== 'production',
    sample: options.sample ?? readSample(variables),
    pages: options.pages ?? true,
    errorPage: options.errorPage ?? false,
    toolbar: options.toolbar ?? isOn(variables['LOOKBACK_TOOLBAR']) ?? true,
    ...(editor === undefined ? {} : { editor }),
  };
}

/** An invalid share records failures only: less than all was intended. */
function readSample(variables: Variables): SampleOptions {
  const rate = Number(variables['PROFILER_SAMPLE'] ?? 1);
  const secret = variables['PROFILER_SAMPLE_SECRET'] ?? '';
  return { rate: rate >= 0 && rate <= 1 ? rate : 0, ...(secret.length < 32 ? {} : { secret }) };
}

/** `LOOKBACK=on` or `off` decides; else everything but production is watched. */
function isEnabled(variables: Variables): boolean {
  const isProduction = variables['NODE_ENV'] === 'production' || variables['PROFILER_STORE'] === 'off';
  return isOn(variables['LOOKBACK']) ?? !isProduction;
}

function isOn(text: string | undefined): boolean | undefined {
  const said = text?.toLowerCase();
  if (said === 'on' || said === '1' || said === 'true' || said === 'yes') return true;
  if (said === 'off' || said === '0' || said === 'false' || said === 'no') return false;
  return undefined;
}
