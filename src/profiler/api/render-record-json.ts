import type { ProfileRecord } from '../model/profile-record.js';

/**
 * A record as JSON text: the record itself, whose `schema` is the version of its shape. It is plain data, so nothing
 * from outside can run here.
 */
export function renderRecordJson(record: ProfileRecord): string {
  return JSON.stringify(record);
}
