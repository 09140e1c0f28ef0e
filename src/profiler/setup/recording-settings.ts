import { createEditorLinker } from '#core/errors';
import { isStoreAddress, storeNameOf, type SampleOptions } from '#profiler';
import type { VariableReader } from './variable-reader.js';

/** Bounds of the stored records; the oldest are removed first. */
export interface RetentionSettings {
  /** Maximum number of records. Default `PROFILER_MAX_COUNT`, otherwise 10,000. */
  readonly count: number;
  /** Maximum age of a record in seconds. Default `PROFILER_MAX_AGE`, otherwise a week. */
  readonly age: number;
  /** Maximum size of the store in bytes. Default `PROFILER_MAX_BYTES`, otherwise 256 MiB. */
  readonly bytes: number;
}

/** Settings of a profiler. */
export interface RecordingSettings {
  /** Store of the records: `sqlite:PATH`, `postgres://…`, `memory:` or `off`. */
  readonly store: string;
  readonly sample: SampleOptions;
  readonly retention: RetentionSettings;
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
    retention: {
      count: reader.wholeNumber('PROFILER_MAX_COUNT', { fallback: 10_000, min: 1, max: 100_000_000 }),
      age: reader.wholeNumber('PROFILER_MAX_AGE', {
        fallback: 7 * 24 * 3600,
        min: 1,
        max: 10 * 365 * 24 * 3600,
      }),
      bytes: reader.wholeNumber('PROFILER_MAX_BYTES', {
        fallback: 256 * 1024 * 1024,
        min: 1024 * 1024,
        max: 2 ** 50,
      }),
    },
    editor: readEditor(reader),
    toolbar: reader.flag('LOOKBACK_TOOLBAR') ?? true,
    locals: reader.flag('LOOKBACK_LOCALS') ?? true,
  };
}

function readStore(reader: VariableReader, { isOn, defaultStore }: RecordingDefaults): string {
  const isAsked = reader.flag('LOOKBACK');
  if (isAsked === false) return 'off';
  const store = reader.text('PROFILER_STORE') ?? ((isAsked ?? isOn) ? defaultStore() : 'off');
  if (store === 'off' || isStoreAddress(store)) return store;
  const takes = '"sqlite:PATH", "postgres://…", "memory:" or "off"';
  throw reader.refusal('PROFILER_STORE', storeNameOf(store), takes);
}

function readEditor(reader: VariableReader): string | undefined {
  const text = reader.text('LOOKBACK_IDE');
  if (text === undefined || createEditorLinker(text)('/', 1, 1) !== undefined) return text;
  const takes = 'an editor (vscode, idea, zed …), or a template of its links with %f and %l';
  throw reader.refusal('LOOKBACK_IDE', text, takes);
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
  const text = reader.text('PROFILER_SAMPLE') ?? '1';
  const rate = /^\d(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(rate <= 1)) throw reader.refusal('PROFILER_SAMPLE', text, 'a share from 0 to 1, such as 0.05');
  const secret = reader.text('PROFILER_SAMPLE_SECRET');
  if (secret === undefined) return { rate };
  if (secret.length < 32)
    throw reader.refusal('PROFILER_SAMPLE_SECRET', '[redacted]', 'at least 32 characters');
  return { rate, secret };
}
