import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { safely } from '#core/coded-error';
import { createRedactor, type Redactor } from '#core/dump';
import { describeThrown, type FlattenOptions } from '#core/errors';
import {
  type Budgets,
  createProfiler,
  createProfilerPages,
  type Profiler,
  type ProfilerPagesOptions,
  type ProfilerRoute,
  type Section,
  storeNameOf,
  type StoreState,
} from '#profiler';
import {
  libraryChanges,
  loadedLibraries,
  queryExplainer,
  startInstrumentations,
} from '#profiler/instrumentation';
import type { RecordingSettings } from './recording-settings.js';

/** An application's additions to its profiler. */
export interface RecordingAdditions {
  /** Custom sections. A section's panel with a built-in `id` replaces that panel. */
  readonly sections?: readonly Section[];
  /** Resource limits for requests, by route name; exceeding one is a finding. */
  readonly budgets?: Budgets;
  /**
   * Media types (`text/html`, `image/*`) whose bodies are recorded in addition to JSON, forms and plain text. They are
   * searched for secrets as text only; see `ProfilerOptions.bodyTypes`.
   */
  readonly bodyTypes?: readonly string[];
}

/** The parts of a profiler. */
export interface ProfilerParts {
  readonly settings: RecordingSettings;
  readonly additions: RecordingAdditions;
  readonly redactor?: Redactor;
  /** How thrown values are read; pass the source loader that the error page uses. */
  readonly flatten?: FlattenOptions;
  /** Facts about the application shown in every record, in addition to facts about the process. No secrets. */
  readonly facts?: Readonly<Record<string, string | number | boolean>>;
  /** Reports problems with the store and with the profiler itself. */
  readonly warn: (message: string, error?: unknown) => void;
}

/** A profiler with its store, sections, instrumentations and pages. */
export interface AssembledProfiler {
  readonly profiler: Profiler;
  /** Instruments libraries loaded since the last call. Call it at the start of each request. */
  look(): void;
  pages(options: Pick<ProfilerPagesOptions, 'access' | 'replay' | 'prefix'>): readonly ProfilerRoute[];
  /** Writes pending records and closes the store. */
  close(): Promise<void>;
}

/** Assembles a profiler; its store is opened with the first record. */
export function assembleProfiler(parts: ProfilerParts): AssembledProfiler {
  const { settings, additions, redactor = createRedactor(), flatten, facts, warn } = parts;
  const { store, retention, sample, ignore, editor } = settings;
  const profiler = createProfiler({
    store,
    retention,
    sample,
    ignore,
    sections: additions.sections,
    budgets: additions.budgets,
    bodyTypes: additions.bodyTypes,
    config: {
      ...facts,
      store: storeNameOf(store),
      'retention records': retention.records,
      'retention failures': retention.failures,
      'retention age (days)': retention.ageDays,
      'retention bytes': retention.bytes,
      ...processFacts(),
    },
    onState: (state) => warn(describeState(state, profiler)),
    onFailure: (error) =>
      warn(
        `The profiler failed; the request was not affected: ${redactor.text(describeThrown(error))}`,
        error,
      ),
    ...(flatten === undefined ? {} : { flatten }),
  });
  const instrumentations = startInstrumentations({ recorder: () => profiler });
  profiler.describeLibraries({ changes: libraryChanges, list: loadedLibraries });
  return {
    profiler,
    look: () => instrumentations.look(),
    pages: (options) =>
      createProfilerPages({
        ...options,
        reader: profiler,
        retention,
        sections: additions.sections ?? [],
        explainer: queryExplainer,
        ...(editor === undefined ? {} : { editor }),
      }),
    async close() {
      instrumentations.stop();
      await profiler.close();
    },
  };
}

function describeState(state: StoreState, { isOff }: Pick<Profiler, 'isOff'>): string {
  if (state.status === 'ready') return `${state.message} (${state.store})`;
  const said = `${state.code ?? state.status}: ${state.message}`;
  if (state.code === 'PROFILER_STORE_DRIVER')
    return `${said} Until then, ${isOff ? 'nothing is recorded' : 'only the latest records are kept, and cannot be searched'}.`;
  return `${said} Records are kept in memory meanwhile (${state.store}).`;
}

/** Facts about the process, shown in records' configuration. The writer adds time zone and locale. */
function processFacts(): Readonly<Record<string, string>> {
  const { icu, unicode, tz } = process.versions;
  const facts: Record<string, string | undefined> = {
    lookback: ownVersion(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    ICU: icu,
    Unicode: unicode,
    'time zone data': tz,
  };
  return Object.fromEntries(
    Object.entries(facts).filter((fact): fact is [string, string] => (fact[1] ?? '') !== ''),
  );
}

/** Returns this package's version; undefined if unknown, as in an application that bundles it. */
function ownVersion(): string | undefined {
  return safely(() => {
    let folder = dirname(fileURLToPath(import.meta.url));
    while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly name?: unknown;
      readonly version?: unknown;
    }; // a manifest whose fields are checked
    return manifest.name === 'lookback' && typeof manifest.version === 'string'
      ? manifest.version
      : undefined;
  }, undefined);
}
