import type { ProfileRecord } from '../../model/profile-record.js';
import { findSection } from '../define-section.js';
import { type Finder, ofKind, type RecordFinding } from '../finding.js';
import type { SecuritySection } from '../security/section.js';

/** The finder for failed listeners. */
export const eventFinders: readonly Finder[] = [ofKind('failed-listener', findFailedListeners)];

/** Reports listeners that threw, unless the exception itself is reported, or was a denial that led to the login. */
function findFailedListeners(record: ProfileRecord): readonly RecordFinding[] {
  if (record.exception !== null) return [];
  const { events } = record;
  const answered = wasSentToLogin(record) ? events.findIndex(({ event }) => event === 'exception') : 0;
  const failed = events
    .slice(Math.max(0, answered))
    .flatMap(({ listeners }) => listeners.filter((listener) => listener.failed));
  return failed.map(({ name }) => ({
    level: 'error',
    text: `The listener “${name}” threw`,
    target: { panel: 'events' },
  }));
}

/** Whether an anonymous or remembered visitor was redirected, because the last decision denied access. */
function wasSentToLogin(record: ProfileRecord): boolean {
  const { decisions, user = null } = findSection<SecuritySection>(record, 'security', ['decisions']) ?? {};
  const status = record.response?.status ?? 0;
  const isKnown = user !== null && user.strength !== 'remembered';
  return decisions?.at(-1)?.granted === false && !isKnown && status >= 300 && status < 400;
}
