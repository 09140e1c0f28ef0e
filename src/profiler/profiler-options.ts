import {
  anyFunction,
  numberAtLeast,
  type OptionNames,
  optionNames,
  refuseBadValues,
  refuseUnknownOptions,
  texts,
  type ValueChecks,
} from '#core/coded-error';
import { checkAdditions, checkSample, sampleOptionNames, storeAddress } from './check-options.js';
import type { RedactorOptions } from '#core/dump';
import type { FlattenOptions } from '#core/errors';
import type { Budgets, Section } from './sections/section.js';
import type { StoreState } from './model/profiler.js';
import type { RecordStore, Retention } from './storage/tables/record-store.js';
import type { RecorderLimits } from './recording/recorder-services.js';
import type { SampleOptions } from './recording/sampling.js';
import type { BatchLimits } from './recording/batch-buffer.js';

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

const retentionNames: OptionNames<Retention> = optionNames('records ageMs bytes profilerRecords');
const limitNames: OptionNames<RecorderLimits> = optionNames(
  'requestBody responseBody logs logText message sections section parameters',
);
const batchNames: OptionNames<BatchLimits> = optionNames('records length delayMs urgentMs');

export const profilerOptionNames: OptionNames<ProfilerOptions> = optionNames(
  'store flatten config sections budgets bodyTypes onState onFailure',
  {
    retention: retentionNames,
    redaction: { keys: true, allow: true },
    sample: sampleOptionNames,
    limits: limitNames,
    batch: batchNames,
  },
);

/** Refuses options with a name or a value that they do not take. Throws `OPTIONS_UNKNOWN` and `OPTIONS_BAD_VALUE`. */
export function checkProfilerOptions(options: ProfilerOptions): void {
  const location = 'createProfiler()';
  refuseUnknownOptions(location, options, profilerOptionNames);
  refuseBadValues(location, options, {
    store: {
      ...storeAddress,
      accepts: (value) => (typeof value === 'object' && value !== null) || storeAddress.accepts(value),
    },
    onState: anyFunction,
    onFailure: anyFunction,
  });
  const { retention, redaction, sample, limits, batch } = options;
  refuseBadValues(`${location}: retention`, retention, everyNumber(retentionNames));
  refuseBadValues(`${location}: redaction`, redaction, { keys: texts, allow: texts });
  refuseBadValues(`${location}: limits`, limits, everyNumber(limitNames));
  refuseBadValues(`${location}: batch`, batch, everyNumber(batchNames));
  checkSample(location, sample);
  checkAdditions(location, options);
}

function everyNumber<Options>(names: OptionNames<Options>): ValueChecks<Options> {
  return Object.fromEntries(
    Object.keys(names).map((name) => [name, numberAtLeast(0)]),
  ) as ValueChecks<Options>; // by their names
}
