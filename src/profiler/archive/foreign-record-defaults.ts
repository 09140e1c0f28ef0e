import type { ProfileRecord } from '../model/profile-record.js';

/** Defaults for the fields of `ProfileRecord` that records from other tools do not have. */
export const foreignRecordDefaults: Pick<
  ProfileRecord,
  | 'bucket'
  | 'controller'
  | 'events'
  | 'logs'
  | 'logTotals'
  | 'exception'
  | 'runtime'
  | 'sections'
  | 'limits'
  | 'cost'
> = {
  bucket: 'app',
  controller: null,
  events: [],
  logs: [],
  logTotals: { total: 0, byLevel: {}, omitted: 0, omittedAfter: 0 },
  exception: null,
  runtime: {
    memory: { rss: 0, heapUsed: 0, heapTotal: 0, external: 0 },
    eventLoop: { meanDelayMs: 0, maxDelayMs: 0, utilization: 0 },
    sampledMsAgo: 0,
  },
  sections: {},
  limits: [],
  cost: { recordMs: 0, bytes: 0 },
};
