import type { SampleOptions } from '#profiler';
import type { AttachOptions } from './attach-options.js';

/** Options with all defaults applied. */
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

/** Combines options and environment variables; options take precedence. */
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

/** Reads the share of recorded requests. An invalid share counts as 0, which records failures only: the intent was to record less than everything. */
function readSample(variables: Variables): SampleOptions {
  const rate = Number(variables['PROFILER_SAMPLE'] ?? 1);
  const secret = variables['PROFILER_SAMPLE_SECRET'] ?? '';
  return { rate: rate >= 0 && rate <= 1 ? rate : 0, ...(secret.length < 32 ? {} : { secret }) };
}

/** Whether requests are watched: by `LOOKBACK=on` or `off`, else unless in production. */
function isEnabled(variables: Variables): boolean {
  const isProduction = variables['NODE_ENV'] === 'production' || variables['PROFILER_STORE'] === 'off';
  return isOn(variables['LOOKBACK']) ?? !isProduction;
}

function isOn(text: string | undefined): boolean | undefined {
  const value = text?.toLowerCase();
  if (value === 'on' || value === '1' || value === 'true' || value === 'yes') return true;
  if (value === 'off' || value === '0' || value === 'false' || value === 'no') return false;
  return undefined;
}
