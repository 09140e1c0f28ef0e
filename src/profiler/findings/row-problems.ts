import { slowMs } from '../query/query-fields.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import type { CollectedField } from '../model/section-part.js';
import { countLogged } from '../record/columns.js';
import { formatMilliseconds } from '../words/format.js';
import { say } from '#phrases';

/** What stands out about a request, in a few words. */
export interface Problem {
  readonly tone: 'warn' | 'err' | 'plain';
  readonly words: string;
}

const maxMessageLength = 40;

/** Returns the problems of a request, most severe first. */
export function problemsOf(
  row: ProfileSummary,
  collected: readonly CollectedField[] = [],
): readonly Problem[] {
  const problems: Problem[] = [];
  const warn = (words: string): number => problems.push({ tone: 'warn', words });
  // With a success status, the exception was thrown after the response.
  const isFailure = row.status >= 500 || row.status < 300;
  if (row.exception !== null && isFailure) problems.push({ tone: 'err', words: clip(row.exception) });
  const { errors, warnings } = countLogged(row, row.exception);
  if (errors > 0)
    problems.push({ tone: 'err', words: say('{n} logged error|{n} logged errors', { n: errors }) });
  for (const { column, finding } of collected) {
    const count = row.collected[column] ?? 0;
    if (finding !== undefined && count > 0) warn(count === 1 ? finding : `${finding} ×${count}`);
  }
  if (row.state === 'unfinished') warn('unfinished');
  if (row.state === 'aborted') warn('the client disconnected');
  if (row.durationMs >= slowMs) warn(say('slow: {time}', { time: formatMilliseconds(row.durationMs) }));
  if (row.status === 404 && row.route === null) problems.push({ tone: 'plain', words: 'No route' });
  else if (row.exception !== null && !isFailure) problems.push({ tone: 'plain', words: clip(row.exception) });
  if (warnings > 0) warn(say('{n} log warning|{n} log warnings', { n: warnings }));
  return problems;
}

function clip(text: string): string {
  if (text.trim() === '') return 'thrown without a message';
  return text.length <= maxMessageLength ? text : `${text.slice(0, maxMessageLength - 1)}…`;
}
