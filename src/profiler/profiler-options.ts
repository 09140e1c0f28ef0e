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
   * The address of a store (`PROFILER_STORE`), which a thread of its own writes: `sqlite:PATH`, `postgres://…`, or
   * `memory:`, which needs no thread. Or a store; it is written on the thread of the application.
   */
  readonly store: string | RecordStore;
  /** Limits on the stored records. */
  readonly retention?: Partial<Retention>;
  /** Further names of secrets. */
  readonly redaction?: RedactorOptions;
  /** How thrown values are read; give the loader of sources that the error page uses. */
  readonly flatten?: FlattenOptions;
  /** Environment, versions and settings that each record shows. No secrets. */
  readonly config?: Readonly<Record<string, string | number | boolean>>;
  /** The application's own sections. */
  readonly sections?: readonly Section[] | undefined;
  /** What requests may need at most; what is above it is kept with the record. */
  readonly budgets?: Budgets | undefined;
  /** Which requests are recorded; default all. */
  readonly sample?: SampleOptions;
  /** Requests of the application that leave no record, whatever happens to them; default none. */
  readonly ignore?: readonly IgnoreRule[];
  /**
   * Media types (`text/html`, `image/*`) whose bodies are recorded in addition to JSON, forms and plain text; of all others
   * the record has the type and the size. Bodies of these types are searched as text only: the values of HTML fields, of
   * parts of a multipart body, and whatever else has its name elsewhere are recorded as sent, also if they are secret.
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

/** Names of secrets, and of what looks like one. */
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

/** The options of `createProfiler`. */
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
