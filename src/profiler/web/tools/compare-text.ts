import { formatMilliseconds } from '../../model/formatting.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { findLastGood, findPrevious } from '../../search/find-last-good.js';
import { findSection } from '../../sections/define-section.js';
import type { DbSection } from '../../sections/database/queries.js';
import { findingsOf } from '../../sections/findings-of.js';
import { handledErrorKind } from '../../sections/throws/findings.js';
import { callsOf } from '../../sections/http-client/findings.js';
import { readPage } from '../archive/page-text.js';
import { plainText, titleOf } from './show-record-text.js';
import type { ToolRecords } from './tool.js';

/** Findings that only one of two records has, and both records' figures, in the given order. */
export interface RecordChanges {
  readonly gone: readonly string[];
  readonly fresh: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** Compares two records' findings and figures. */
export function compareFindings(one: ProfileRecord, other: ProfileRecord): RecordChanges {
  const [a, b] = [findingTexts(one), findingTexts(other)];
  const [inOne, inOther] = [a, b].map((texts) => new Set(texts.map(shapeless)));
  const gone = a.filter((text) => inOther?.has(shapeless(text)) !== true);
  const fresh = b.filter((text) => inOne?.has(shapeless(text)) !== true);
  return {
    gone,
    fresh,
    data: {
      first: figuresOf(one),
      second: figuresOf(other),
      findingsOnlyInFirst: gone,
      findingsOnlyInSecond: fresh,
    },
  };
}

/** A comparison's data fields, as JSON Schema. */
export const changeFields: Readonly<Record<string, object>> = {
  first: { type: 'object' },
  second: { type: 'object' },
  findingsOnlyInFirst: { type: 'array' },
  findingsOnlyInSecond: { type: 'array' },
};

/** Describes how a request ended. */
export function endOf({ state }: Pick<ProfileRecord, 'state'>): string {
  return state === 'complete' ? 'complete' : state === 'aborted' ? 'CUT OFF' : 'UNFINISHED';
}

/**
 * Describes how two records differ: the findings that only one has, in the given order, and the rest as on the
 * comparison page, whose columns are in chronological order.
 */
export async function describeComparison(
  records: ToolRecords,
  one: ProfileRecord,
  other: ProfileRecord,
): Promise<string> {
  const { gone, fresh } = compareFindings(one, other);
  const [first, second] = one.startedAt > other.startedAt ? ['later', 'earlier'] : ['earlier', 'later'];
  const head = (at: number, record: ProfileRecord, when = ''): string =>
    `${at}. ${when}: ${titleOf(record)} ${endOf(record)}, ${formatMilliseconds(record.durationMs)}, record ${record.token}`;
  return [
    head(1, one, first),
    head(2, other, second),
    ...gone.map((text) => `finding only in 1: ${text}`),
    ...fresh.map((text) => `finding only in 2: ${text}`),
    ...(gone.length + fresh.length === 0
      ? [`findings: ${findingTexts(one).length === 0 ? 'none in either' : 'the same'}`]
      : []),
    await differencesOf(records, one, other),
  ].join('\n');
}

/** Returns the comparison page's text, without its facts about each record. */
export async function differencesOf(
  records: ToolRecords,
  one: ProfileRecord,
  other: ProfileRecord,
): Promise<string> {
  const { text } = await readPage(records, one.token, { format: 'md', against: other.token });
  const [, , body = ''] = text.split(/^- Duration: .*$/m);
  return plainText(body)
    .replaceAll(/^\|(?: --- \|)+\n|^\d+ differences? left out: .*\n?/gm, '')
    .replaceAll('`', '')
    .trim();
}

function figuresOf(record: ProfileRecord): object {
  const db = findSection<DbSection>(record, 'db', ['totals']);
  return {
    token: record.token,
    status: record.response?.status ?? null,
    state: record.state,
    durationMs: record.durationMs,
    queries: db?.totals.queries ?? 0,
    calls: callsOf(record).length,
  };
}

/** Leaves out findings that another run of the same request may lack without any change. */
function findingTexts(record: ProfileRecord): readonly string[] {
  return findingsOf(record)
    .filter(({ kind }) => kind !== 'paused' && kind !== handledErrorKind)
    .map(({ kind = '', text }) => `${kind}: ${text}`);
}

/** Removes measurements from a finding. */
function shapeless(text: string): string {
  return text
    .replaceAll(/[\d.,]{1,40} ?(?:ms|s|µs|B|KiB|MiB)?\b/g, '#')
    .replaceAll(/\b[\da-f]{6,12}\b/g, '#');
}

/** Finds the record to compare with: by token, the last successful request to its route, or the previous one. */
export async function findOther(
  records: ToolRecords,
  record: ProfileRecord,
  wanted: string,
): Promise<ProfileRecord | string> {
  const token = await findToken(records, record, wanted);
  if (token === undefined)
    return wanted === 'previous'
      ? 'There is no earlier request to this route.'
      : 'No earlier request to this route succeeded.';
  const found = await records.find(token);
  return found.kind === 'found' ? found.record : `There is no record ${token.slice(0, 20)}.`;
}

async function findToken(
  records: ToolRecords,
  record: ProfileRecord,
  wanted: string,
): Promise<string | undefined> {
  if (wanted === 'last-good') return (await findLastGood(records, record))?.token;
  return wanted === 'previous' ? (await findPrevious(records, record))?.token : wanted;
}
