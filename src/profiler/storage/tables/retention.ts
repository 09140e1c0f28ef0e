import { bytes, fromVariable, number, type OptionsSchema, optionsWithDefaults, whole } from '#core/options';

/** Limits on stored records; the oldest are removed first. */
export interface Retention {
  /** Maximum number of records. Default 10,000. */
  readonly records: number;
  /** Maximum number of failed requests kept beyond the limits on number and size. Default 1,000. */
  readonly failures: number;
  /** Maximum record age in days, which may be fractional. Default 7. */
  readonly ageDays: number;
  /** Maximum store size on disk, in bytes. Default 256 MiB. */
  readonly bytes: number;
  /** Maximum number of records for the profiler's own requests. Default 100. */
  readonly profilerRecords: number;
}

/** Default limits. */
export const defaultRetention: Retention = Object.freeze({
  records: 10_000,
  failures: 1000,
  ageDays: 7,
  bytes: 256 * 1024 * 1024,
  profilerRecords: 100,
});

/** Shared by store, profiler and application options, and by environment variables. */
export const retentionSchema: OptionsSchema<Partial<Retention>, keyof Retention> = optionsWithDefaults<
  Partial<Retention>,
  keyof Retention
>(
  {
    records: fromVariable('PROFILER_MAX_RECORDS', whole({ min: 1 })),
    failures: fromVariable('PROFILER_MAX_FAILURES', whole({ min: 0 })),
    ageDays: fromVariable('PROFILER_MAX_AGE_DAYS', number({ above: 0, max: 36_500, unit: 'days' })),
    bytes: fromVariable('PROFILER_MAX_BYTES', bytes({ min: 1 })),
    profilerRecords: whole({ min: 0 }),
  },
  defaultRetention,
);
