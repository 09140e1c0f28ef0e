import { say } from '#core/phrases';
import type { ProfileRecord } from '../../model/profile-record.js';
import { formatMilliseconds, shorten } from '../../model/formatting.js';
import { findSection } from '../define-section.js';
import { type Finder, type RecordFinding, targetIn, warning } from '../finding.js';
import type { BrowserSection, BrowserTiming } from './section.js';

const maxMessage = 120;

export function browserOf(record: ProfileRecord): BrowserSection | undefined {
  return findSection<BrowserSection>(record, 'browser', ['timing', 'errors', 'failed']);
}

/** The finder for what browsers report. */
export const browserFinders: readonly Finder[] = [findInBrowser];

/** Finds script errors, missing files, and the page's load time compared with the server's. */
export function findInBrowser(record: ProfileRecord): readonly RecordFinding[] {
  const seen = browserOf(record);
  if (seen === undefined) return [];
  const sentence = pageTime(record, seen.timing);
  return [
    ...errorsIn(seen),
    ...failedIn(seen),
    ...(sentence === undefined
      ? []
      : [{ level: 'info' as const, kind: 'page-time', text: sentence, target: targetIn('browser') }]),
  ];
}

function errorsIn({ errors, moreErrors }: BrowserSection): readonly RecordFinding[] {
  const [first] = errors;
  if (first === undefined) return [];
  const n = errors.reduce((sum, { count }) => sum + count, moreErrors);
  const words = say('{n} error in the browser|{n} errors in the browser', { n });
  return [
    {
      ...warning(`${words}: ${shorten(first.message, maxMessage)}`, 'browser'),
      kind: 'browser-error',
    },
  ];
}

function failedIn({ failed, moreFailed }: BrowserSection): readonly RecordFinding[] {
  const [first] = failed;
  if (first === undefined) return [];
  const words = say('{n} file of the page was not loaded|{n} files of the page were not loaded', {
    n: failed.length + moreFailed,
  });
  const status = first.status === 0 ? '' : ` (${first.status})`;
  return [
    {
      ...warning(`${words}: ${shorten(first.url, maxMessage)}${status}`, 'browser'),
      kind: 'failed-asset',
    },
  ];
}

/**
 * Compares the server time with the page's time until its largest paint, or its load. Undefined if neither is known.
 */
export function pageTime(
  { durationMs }: Pick<ProfileRecord, 'durationMs'>,
  { largestPaintMs, loadMs }: BrowserTiming,
): string | undefined {
  const ms = largestPaintMs ?? loadMs;
  if (ms === undefined) return undefined;
  const until = largestPaintMs === undefined ? 'until it was loaded' : 'until its largest paint';
  return `The server took ${formatMilliseconds(durationMs)}, the page ${formatMilliseconds(ms)} ${until}`;
}
