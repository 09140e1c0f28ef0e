import type { Redactor } from '#dump';
import type { FlattenOptions } from '#errors';
import type { Budgets, Collector } from './model/collector.js';
import type { ProfileStore } from './model/profile-store.js';
import type { RecordSink } from './model/profiler.js';
import type { StoreState } from './model/profiler-state.js';
import type { SegmentQueueLimits } from './store/segment-queue.js';
import type { BatchLimits } from './watch/recorder.js';
import type { RecorderLimits } from './watch/recorder-limits.js';
import type { SampleOptions } from './watch/sampling.js';

/** The options of a profiler. */
export interface ProfilerOptions {
  readonly store: ProfileStore;
  /** How the store is called in its state: its address. */
  readonly storeName: string;
  readonly redactor?: Redactor;
  /** How thrown values are read; give the loader of sources that the error page uses. */
  readonly flatten?: FlattenOptions;
  /** Environment, versions and settings that each record shows. No secrets. */
  readonly config?: Readonly<Record<string, string | number | boolean>>;
  readonly collectors?: readonly Collector[];
  readonly sinks?: readonly RecordSink[];
  /** What requests may need at most; what is above it is kept with the record. */
  readonly budgets?: Budgets | undefined;
  /** Which requests are recorded; default all. */
  readonly sample?: SampleOptions;
  readonly limits?: Partial<RecorderLimits>;
  readonly batch?: Partial<BatchLimits>;
  readonly queue?: Partial<SegmentQueueLimits>;
  /** Called when the store fails or works again; not for each request. */
  readonly onState?: (state: StoreState) => void;
  /** Called with failures inside the profiler, at most once a minute. */
  readonly onFailure?: (error: unknown) => void;
}

export const defaultBatch: BatchLimits = { records: 1024, weight: 512 * 1024, delayMs: 50 };
export const defaultQueue: SegmentQueueLimits = { records: 50_000, bytes: 64 * 1024 * 1024 };
