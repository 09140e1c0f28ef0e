import { logLevels } from '#log';
import type { ProfileRecord } from '../model/profile-record.js';
import type { ReadRecord } from './record-form.js';

/** Converts the stored log lines and their counts. `startedAt` of the request, in milliseconds since the epoch. */
export function readLogs(
  { lines, byLevel, omitted, omittedAfter }: ReadRecord['logs'],
  startedAt: number,
): Pick<ProfileRecord, 'logs' | 'logTotals'> {
  const counts: Record<string, number> = {};
  for (const [place, level] of logLevels.entries())
    if ((byLevel[place] ?? 0) > 0) counts[level] = byLevel[place] ?? 0;
  return {
    logs: lines.map(({ level, channel, message, offsetMs, context }) => ({
      time: startedAt + offsetMs,
      offsetMs,
      level,
      channel,
      message,
      ...(context === null ? {} : { context }),
    })),
    logTotals: {
      total: byLevel.reduce((sum, count) => sum + count, 0),
      byLevel: counts,
      omitted,
      omittedAfter,
    },
  };
}
