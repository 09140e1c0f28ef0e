import { type IgnoreRule, isStoreAddress, type Retention, storeNameOf, type SampleOptions } from '#profiler';
import {
  editorName,
  ignoredPath,
  retentionSchema,
  sampleSchema,
  storeAddress,
} from '#profiler/option-schemas';
import type { VariableReader } from './variable-reader.js';

/** Settings of a profiler. */
export interface RecordingSettings {
  /** Store of the records: `sqlite:PATH`, `postgres://…`, `memory:` or `off`. */
  readonly store: string;
  readonly sample: SampleOptions;
  /** Requests that leave no record, whatever happens to them. */
  readonly ignore: readonly IgnoreRule[];
  readonly retention: Retention;
  /** Editor name or URL template with `%f` and `%l` for links to source lines. */
  readonly editor: string | undefined;
  /** Whether HTML pages have the toolbar for clients that may open the profiler. */
  readonly toolbar: boolean;
  /** Whether errors hold the local variables of the calls that they went through, in development. */
  readonly locals: boolean;
}

/** What applies if no variable says it. */
export interface RecordingDefaults {
  /** Whether requests are recorded if neither `LOOKBACK` nor `PROFILER_STORE` is set. */
  readonly isOn: boolean;
  /** Address of the store if `PROFILER_STORE` names none. */
  readonly defaultStore: () => string;
}

/** Reads `LOOKBACK`, `LOOKBACK_IDE`, `LOOKBACK_LOCALS`, `LOOKBACK_TOOLBAR` and `PROFILER_*`. Throws `CONFIG_BAD_VALUE`. */
export function readRecordingSettings(
  reader: VariableReader,
  defaults: RecordingDefaults,
): RecordingSettings {
  checkTrace(reader);
  return {
    store: readStore(reader, defaults),
    sample: readSample(reader),
    ignore: reader.list('PROFILER_IGNORE', ignoredPath),
    retention: readRetention(reader),
    editor: readEditor(reader),
    toolbar: reader.flag('LOOKBACK_TOOLBAR') ?? true,
    locals: reader.flag('LOOKBACK_LOCALS') ?? true,
  };
}

function readRetention(reader: VariableReader): Retention {
  const { types, defaults } = retentionSchema;
  return {
    ...defaults,
    records: reader.number('PROFILER_MAX_RECORDS', types.records) ?? defaults.records,
    failures: reader.number('PROFILER_MAX_FAILURES', types.failures) ?? defaults.failures,
    ageDays: reader.number('PROFILER_MAX_AGE_DAYS', types.ageDays) ?? defaults.ageDays,
    bytes: reader.number('PROFILER_MAX_BYTES', types.bytes) ?? defaults.bytes,
  };
}

function readStore(reader: VariableReader, { isOn, defaultStore }: RecordingDefaults): string {
  const isAsked = reader.flag('LOOKBACK');
  if (isAsked === false) return 'off';
  const store = reader.text('PROFILER_STORE') ?? ((isAsked ?? isOn) ? defaultStore() : 'off');
  if (store === 'off' || isStoreAddress(store)) return store;
  throw reader.refusal('PROFILER_STORE', storeNameOf(store), `${storeAddress.takes}, or "off"`);
}

function readEditor(reader: VariableReader): string | undefined {
  const text = reader.text('LOOKBACK_IDE');
  if (text === undefined || editorName.check(text) === undefined) return text;
  throw reader.refusal('LOOKBACK_IDE', text, editorName.takes);
}

/** `instrumentation` reads the variable by itself, since it needs no profiler. */
function checkTrace(reader: VariableReader): void {
  const text = reader.text('LOOKBACK_TRACE') ?? 'off';
  for (const origin of text === 'off' || text === 'all' ? [] : text.split(/[\s,]+/))
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw reader.refusal(
        'LOOKBACK_TRACE',
        text,
        'off, all, or origins, separated by commas: https://api.example.org',
      );
}

function readSample(reader: VariableReader): { readonly rate: number; readonly secret?: string } {
  const { types, defaults } = sampleSchema;
  const rate = reader.number('PROFILER_SAMPLE', types.rate) ?? defaults.rate;
  const secret = reader.text('PROFILER_SAMPLE_SECRET');
  if (secret === undefined) return { rate };
  if (types.secret.check(secret) !== undefined)
    throw reader.refusal('PROFILER_SAMPLE_SECRET', '[redacted]', types.secret.takes);
  return { rate, secret };
}
