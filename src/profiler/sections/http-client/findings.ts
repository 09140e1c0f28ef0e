import { findSection } from '../define-section.js';
import { formatMilliseconds } from '../../model/formatting.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { type HttpCall, type HttpSection, callAnchor } from './section.js';
import { type Finder, type RecordFinding, from, locationTextOf, ofKind, warning } from '../finding.js';

/** Limits: failed calls and unawaited calls reported, and characters in their texts. */
export const maxShown = 3;

export const maxTextLength = 120;

/** Gap between equal calls below which there was no pause, in milliseconds. */
const noPauseMs = 20;

/** The finder for failed calls. */
export const httpFinders: readonly Finder[] = [ofKind('failed-call', findFailedCalls)];

/** Reports outgoing calls that failed or got a 5xx response, grouping equal ones. A 4xx response may be expected. */
export function findFailedCalls(record: ProfileRecord): readonly RecordFinding[] {
  const groups = new Map<
    string,
    { readonly call: HttpCall; readonly index: number; readonly all: HttpCall[] }
  >();
  for (const [index, call] of callsOf(record).entries()) {
    if (call.error === null && call.status < 500) continue;
    const key = JSON.stringify([call.method, call.url, call.status, call.error]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { call, index, all: [call] });
    else known.all.push(call);
  }
  return [...groups.values()].slice(0, maxShown).map(({ call, index, all }) => {
    const outcome =
      call.error === null ? `answered ${call.status}` : `failed: ${call.error.slice(0, maxTextLength)}`;
    const text = all.length === 1 ? `${nameOf(call)} ${outcome}` : describeEqual(all, nameOf(call), outcome);
    const location = locationTextOf(call.callSite?.[0]);
    const later = findRepeat(all, callsOf(record));
    if (later === undefined)
      return { ...warning(text + from(location), 'http', callAnchor(index)), explains: 'failure' };
    const words = `${text}; a later call answered ${later.status}${from(location)}`;
    return { ...warning(words, 'http', callAnchor(index)), level: 'info' };
  });
}

/** Returns a later call that repeated failed ones and succeeded. */
function findRepeat(failed: readonly HttpCall[], all: readonly HttpCall[]): HttpCall | undefined {
  const [first] = failed;
  const lastMs = Math.max(...failed.map(({ offsetMs }) => offsetMs));
  return all.find(
    (one) =>
      one.method === first?.method &&
      one.url === first.url &&
      one.error === null &&
      one.status >= 200 &&
      one.status < 400 &&
      one.offsetMs > lastMs,
  );
}

/** Describes how often a call was made, in how much time, and whether there were pauses. */
function describeEqual(all: readonly HttpCall[], name: string, outcome: string): string {
  const sorted = all.toSorted((a, b) => a.offsetMs - b.offsetMs);
  const ends = sorted.map(({ offsetMs, durationMs }) => offsetMs + durationMs);
  const begin = sorted[0]?.offsetMs ?? 0;
  const pauses = sorted.slice(1).map(({ offsetMs }, at) => offsetMs - (ends[at] ?? offsetMs));
  const ms = Math.max(...ends) - begin;
  const words = `${all.length} calls of ${name}`;
  if (!Number.isFinite(ms)) return `${words}, all ${outcome}`;
  const pause = pauses.some((one) => one >= noPauseMs) ? '' : ', no pause in between';
  return `${words} in ${formatMilliseconds(ms)}, all ${outcome}${pause}`;
}

export function callsOf(record: ProfileRecord): readonly HttpCall[] {
  return findSection<HttpSection>(record, 'http', ['calls'])?.calls ?? [];
}

export function nameOf({ method, url }: HttpCall): string {
  return `${method} ${url.slice(0, maxTextLength)}`;
}
