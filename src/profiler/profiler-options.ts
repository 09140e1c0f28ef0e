import {
  anObject,
  type AnyOption,
  bytes,
  callable,
  either,
  flag,
  listOf,
  number,
  objectWith,
  type OptionsSchema,
  optionsSchema,
  optionsWithDefaults,
  type OptionType,
  namesTo,
  required,
  text,
  whole,
} from '#core/options';
import type { RedactorOptions } from '#core/dump';
import type { FlattenOptions } from '#core/errors';
import type { Budgets, Section } from './sections/section.js';
import type { StoreState } from './model/profiler.js';
import type { RecordStore } from './storage/tables/record-store.js';
import type { Retention } from './storage/tables/retention.js';
import { additionTypes, retentionSchema, sampleSchema, storeAddress } from './option-schemas.js';
import { type RecorderLimits, recorderLimits } from './recording/recorder-services.js';
import { type IgnoreRule, ignoreRules } from './recording/ignored-requests.js';
import type { SampleOptions } from './recording/sampling.js';
import { type BatchLimits, batchLimits } from './recording/batch-buffer.js';

export interface ProfilerOptions {
  /**
   * The store's address (`PROFILER_STORE`): `sqlite:PATH` or `postgres://…`, written by a separate thread, or
   * `memory:`, which needs none. Or a store, which is written on the application's thread.
   */
  readonly store: string | RecordStore;
  /** Limits on stored records. */
  readonly retention?: Partial<Retention>;
  /** Additional names of secrets. */
  readonly redaction?: RedactorOptions;
  /** How thrown values are read; pass the source loader that the error page uses. */
  readonly flatten?: FlattenOptions;
  /** Environment, versions and settings shown in every record. No secrets. */
  readonly config?: Readonly<Record<string, string | number | boolean>>;
  /** The application's own sections. */
  readonly sections?: readonly Section[] | undefined;
  /** Maximum resources of requests; exceeding one is recorded. */
  readonly budgets?: Budgets | undefined;
  /** Which requests are recorded. Default: all. */
  readonly sample?: SampleOptions;
  /** Application requests that never leave a record. Default: none. */
  readonly ignore?: readonly IgnoreRule[];
  /**
   * Media types (`text/html`, `image/*`) whose bodies are recorded in addition to JSON, forms and plain text; of other
   * bodies, only type and size are recorded. Bodies with these types are searched for secrets only as text: HTML field
   * values, multipart parts, and anything whose name is elsewhere are recorded as sent, even if secret.
   */
  readonly bodyTypes?: readonly string[] | undefined;
  readonly limits?: Partial<RecorderLimits>;
  readonly batch?: Partial<BatchLimits>;
  /** Called when the store fails or works again; not for each request. */
  readonly onState?: (state: StoreState) => void;
  /** Called with failures inside the profiler, at most once a minute. */
  readonly onFailure?: (error: unknown) => void;
}

const storeMethods = ['append', 'find', 'list', 'totals', 'update', 'close'] as const;
const recordStore = objectWith<RecordStore>('a RecordStore', ...storeMethods);
const count = whole({ min: 0 });

/** Limits of one record. */
export const recorderLimitsSchema: OptionsSchema<
  Partial<RecorderLimits>,
  keyof RecorderLimits
> = optionsWithDefaults<Partial<RecorderLimits>, keyof RecorderLimits>(
  {
    requestBody: bytes(),
    responseBody: bytes(),
    logs: count,
    logText: count,
    message: count,
    sections: count,
    section: count,
    parameters: count,
  },
  recorderLimits,
);

const batchSchema: OptionsSchema<Partial<BatchLimits>, keyof BatchLimits> = optionsWithDefaults<
  Partial<BatchLimits>,
  keyof BatchLimits
>(
  {
    records: count,
    length: count,
    delayMs: number({ min: 0, unit: 'milliseconds' }),
    urgentMs: number({ min: 0, unit: 'milliseconds' }),
  },
  batchLimits,
);

/** Names of secrets, and exceptions from them. */
export const redactionSchema: OptionsSchema<RedactorOptions> = optionsSchema<RedactorOptions>({
  keys: listOf(text),
  allow: listOf(text),
});

const flattenSchema: OptionsSchema<FlattenOptions> = optionsSchema<FlattenOptions>({
  redactor: anObject(),
  sources: anObject(),
  excerpts: count,
  mapsPackages: flag,
  libraryFolders: listOf(text),
  replaced: listOf(anObject()),
});

const fact: AnyOption & OptionType<string | number | boolean> = either(either(text, number()), flag);

/** `createProfiler` options. */
export const profilerSchema: OptionsSchema<ProfilerOptions> = optionsSchema<ProfilerOptions>({
  ...additionTypes,
  store: required(either(storeAddress, recordStore)),
  retention: retentionSchema,
  redaction: redactionSchema,
  flatten: flattenSchema,
  config: namesTo(fact),
  sample: sampleSchema,
  ignore: ignoreRules,
  limits: recorderLimitsSchema,
  batch: batchSchema,
  onState: callable(),
  onFailure: callable(),
});
