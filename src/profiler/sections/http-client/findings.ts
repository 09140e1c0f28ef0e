import { findSection } from '../define-section.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { type HttpCall, type HttpSection, callAnchor } from './section.js';
import { type RecordFinding, from, locationTextOf, warning } from '../finding.js';

/** Maximum number of failed calls, and of calls that were not awaited, that are reported, and of characters of their texts. */
export const maxShown = 3;

export const maxTextLength = 120;

/** Reports outgoing calls that failed or got a 5xx response. A 4xx response can be an expected result. */
export function findFailedCalls(record: ProfileRecord): readonly RecordFinding[] {
  const found = callsOf(record).flatMap((call, index): RecordFinding[] => {
    if (call.error === null && call.status < 500) return [];
    const what = nameOf(call);
    const text =
      call.error === null
        ? `${what} answered ${call.status}`
        : `${what} failed: ${call.error.slice(0, maxTextLength)}`;
    const location = locationTextOf(call.callSite?.[0]);
    return [{ ...warning(text + from(location), 'http', callAnchor(index)), explains: 'failure' }];
  });
  return found.slice(0, maxShown);
}

export function callsOf(record: ProfileRecord): readonly HttpCall[] {
  return findSection<HttpSection>(record, 'http', ['calls'])?.calls ?? [];
}

export function nameOf({ method, url }: HttpCall): string {
  return `${method} ${url.slice(0, maxTextLength)}`;
}
