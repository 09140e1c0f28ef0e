import type { Snapshot, Redactor } from '#core/dump';
import type { FlattenOptions } from '#core/errors';
import type { CollectedSection, Section } from '../sections/section.js';
import type { Amendments } from '../encoding/amendments.js';
import type { ProcessSample } from '../encoding/encoded-record.js';
import type { Sampler } from './sampling.js';
import type { BatchBuffer } from './batch-buffer.js';
import type { TraceBudget } from './trace-budget.js';

/** Limits for one record. Bodies are in bytes; `sections` and `parameters` count entries. */
export interface RecorderLimits {
  readonly requestBody: number;
  readonly responseBody: number;
  readonly logs: number;
  readonly logText: number;
  /** Characters in one log message. */
  readonly message: number;
  readonly sections: number;
  /** Characters in one section as JSON. */
  readonly section: number;
  readonly parameters: number;
}

export const recorderLimits: RecorderLimits = {
  requestBody: 65_536,
  responseBody: 16_384,
  logs: 500,
  logText: 262_144,
  message: 10_000,
  sections: 30,
  section: 262_144,
  parameters: 50,
};

/** Services shared by a recorder and its recordings. */
export interface RecorderServices {
  readonly redactor: Redactor;
  readonly limits: RecorderLimits;
  readonly bodyTypes?: readonly string[] | undefined;
  readonly flatten: FlattenOptions;
  /** Takes a log context's snapshot. */
  readonly snapshot: (value: unknown) => Snapshot;
  readonly traces: TraceBudget;
  /** The writer completes built-in sections' data; custom sections' data is copied and evaluated here. */
  readonly sections: readonly (CollectedSection | Section)[];
  readonly buffer: BatchBuffer;
  /** Whether controllers are located later, because V8 must list all scripts for the first of them. */
  readonly locatesLater: () => boolean;
  readonly nextName: () => { readonly id: number; readonly token: string };
  readonly sample: () => ProcessSample;
  /** Decides whether tail-sampled recordings are kept. */
  readonly sampler: Sampler;
  /** Receives amendments: facts reported after a record was closed. */
  readonly late: (id: number, notes: Amendments) => void;
  /** Called when the profiler itself fails; the request continues. */
  readonly failed: (error: unknown) => void;
}
