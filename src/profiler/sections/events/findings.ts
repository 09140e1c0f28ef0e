import type { ProfileRecord } from '../../model/profile-record.js';
import type { RecordFinding } from '../finding.js';

/** Reports listeners that threw, unless the exception itself is reported. */
export function findFailedListeners({ events, exception }: ProfileRecord): readonly RecordFinding[] {
  if (exception !== null) return [];
  const failed = events.flatMap(({ listeners }) => listeners.filter((listener) => listener.failed));
  return failed.map(({ name }) => ({
    level: 'error',
    text: `The listener “${name}” threw`,
    target: { panel: 'events' },
  }));
}
