import type { ProfileRecord } from '../../model/profile-record.js';
import { type Finder, ofKind, type RecordFinding } from '../finding.js';

/** The finder for failed listeners. */
export const eventFinders: readonly Finder[] = [ofKind('failed-listener', findFailedListeners)];

/** Reports listeners that threw, unless the exception itself is reported. */
function findFailedListeners({ events, exception }: ProfileRecord): readonly RecordFinding[] {
  if (exception !== null) return [];
  const failed = events.flatMap(({ listeners }) => listeners.filter((listener) => listener.failed));
  return failed.map(({ name }) => ({
    level: 'error',
    text: `The listener “${name}” threw`,
    target: { panel: 'events' },
  }));
}
