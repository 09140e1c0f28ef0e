import { type IgnoreRule, type Retention, storeNameOf, type SampleOptions } from '#profiler';
import {
  displayDefaults,
  editorName,
  localsSetting,
  retentionSchema,
  sampleSchema,
  storeSetting,
  toolbarSetting,
  variableOptions,
} from '#profiler/option-schemas';
import type { VariableReader } from './variable-reader.js';

/** Profiler settings. */
export interface RecordingSettings {
  /** The record store's address: `sqlite:PATH`, `postgres://…`, `memory:` or `off`. */
  readonly store: string;
  readonly sample: SampleOptions;
  /** Requests that never leave a record. */
  readonly ignore: readonly IgnoreRule[];
  readonly retention: Retention;
  /** Editor name or URL template with `%f` and `%l` for links to source lines. */
  readonly editor: string | undefined;
  /** Whether HTML pages have the toolbar for clients that may open the profiler. */
  readonly toolbar: boolean;
  /** Whether, in development, errors include the local variables of the calls they passed through. */
  readonly locals: boolean;
}

/** Defaults for settings without a variable. */
export interface RecordingDefaults {
  /** Whether requests are recorded if neither `LOOKBACK` nor `PROFILER_STORE` is set. */
  readonly isOn: boolean;
  /** Store address if `PROFILER_STORE` names none. */
  readonly defaultStore: () => string;
}

/** Reads `LOOKBACK`, `LOOKBACK_IDE`, `LOOKBACK_LOCALS`, `LOOKBACK_TOOLBAR` and `PROFILER_*`. Throws `CONFIG_BAD_VALUE`. */
export function readRecordingSettings(
  reader: VariableReader,
  defaults: RecordingDefaults,
): RecordingSettings {
  reader.text(variableOptions.trace); // `instrumentation` reads it itself, since it needs no profiler
  return {
    store: readStore(reader, defaults),
    sample: readSample(reader),
    ignore: reader.list(variableOptions.ignore) ?? [],
    retention: readRetention(reader),
    editor: reader.text(editorName),
    toolbar: reader.flag(toolbarSetting) ?? displayDefaults.toolbar,
    locals: reader.flag(localsSetting) ?? displayDefaults.locals,
  };
}

function readRetention(reader: VariableReader): Retention {
  const { types, defaults } = retentionSchema;
  return {
    ...defaults,
    records: reader.number(types.records) ?? defaults.records,
    failures: reader.number(types.failures) ?? defaults.failures,
    ageDays: reader.number(types.ageDays) ?? defaults.ageDays,
    bytes: reader.number(types.bytes) ?? defaults.bytes,
  };
}

function readStore(reader: VariableReader, { isOn, defaultStore }: RecordingDefaults): string {
  const isAsked = reader.flag(variableOptions.recording);
  if (isAsked === false) return 'off';
  return reader.text(storeSetting, storeNameOf) ?? ((isAsked ?? isOn) ? defaultStore() : 'off');
}

function readSample(reader: VariableReader): SampleOptions {
  const { types, defaults } = sampleSchema;
  const rate = reader.number(types.rate) ?? defaults.rate;
  const secret = reader.text(types.secret, () => '[redacted]');
  return secret === undefined ? { rate } : { rate, secret };
}
