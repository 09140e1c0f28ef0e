import { setTimeout as pause } from 'node:timers/promises';
import { formatMilliseconds } from '../../model/formatting.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { findingsOf } from '../../sections/findings-of.js';
import { type ReplayOptions, replayRequest } from '../reports/replay.js';
import { compareFindings, differencesOf, endOf } from './compare-text.js';
import type { ToolRecords } from './tool.js';

const waitMs = 3000;

/** A replayed request's outcome. */
export interface ReplayVerdict {
  /** True for a complete response with a status below 400 and no exception. */
  readonly isGood: boolean;
  readonly lines: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** Sends a recorded request again, and compares the outcome with the record. Returns a text if it was not sent. */
export async function replayAndCompare(
  records: ToolRecords,
  record: ProfileRecord,
  options: ReplayOptions,
): Promise<ReplayVerdict | string> {
  const answer = await replayRequest(record, options);
  if (typeof answer === 'string') return answer;
  const { status, token = null, body, broke, leftOut } = answer;
  const fresh = token === null ? undefined : await findFinished(records, token);
  const isCut = broke !== undefined || (fresh !== undefined && fresh.state !== 'complete');
  const first = fresh && findingsOf(fresh).find(({ level, kind }) => level === 'error' || kind === 'error');
  const error = first?.text ?? (isCut ? broke : undefined) ?? null;
  const isGood = status < 400 && !isCut && fresh?.exception === null;
  const end = isCut ? 'CUT OFF' : 'complete';
  const was = `${record.response?.status ?? 'no response'}, ${endOf(record)}, ${formatMilliseconds(record.durationMs)}`;
  const lines = [
    `${status}, ${end}${fresh === undefined ? '' : `, ${formatMilliseconds(fresh.durationMs)}`} (was ${was})`,
    ...(error === null ? [] : [`error: ${error}`]),
    token === null
      ? 'The response names no record.'
      : `record ${token}${fresh === undefined ? ', which is not stored yet' : ''}`,
    ...(leftOut.length === 0
      ? []
      : [`not sent, because the record does not contain it: ${leftOut.join(', ')}`]),
  ];
  const data = { status, isComplete: !isCut, error, token, isGood, was: record.token };
  if (fresh === undefined)
    return { isGood: status < 400 && !isCut, lines: [...lines, `body: ${body.slice(0, 500)}`], data };
  const { gone, fresh: added, data: changes } = compareFindings(record, fresh);
  return {
    isGood,
    lines: [
      ...lines,
      ...gone.map((text) => `finding gone: ${text}`),
      ...added.map((text) => `finding new: ${text}`),
      ...(gone.length + added.length === 0 ? ['findings: as before'] : []),
      ...(await differencesOf(records, record, fresh)).split('\n'),
      `body: ${body.slice(0, 300)}`,
    ],
    data: { ...data, ...changes },
  };
}

/** Waits for the record of the request that was just answered. */
async function findFinished(records: ToolRecords, token: string): Promise<ProfileRecord | undefined> {
  const end = performance.now() + waitMs;
  for (;;) {
    const found = await records.find(token);
    const record = found.kind === 'found' ? found.record : undefined;
    if (record !== undefined && record.state !== 'unfinished') return record;
    if (performance.now() > end) return record;
    await pause(50);
  }
}
