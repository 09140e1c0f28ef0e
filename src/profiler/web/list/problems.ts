import type { CollectedField } from '../../model/collected-field.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { formatMilliseconds } from '../../words/format.js';
import { slowMs } from '../../query/query-fields.js';
import { say, sayKnown } from '../../words/say.js';

/** Something worth a look, as a chip of the list. */
export interface Problem {
  readonly tone: 'warn' | 'err' | 'mark';
  readonly words: string;
}

const maxMessageLength = 80;

/** What deserves a look about a request, the gravest first. */
export function problemsOf(
  row: ProfileSummary,
  collected: readonly CollectedField[] = [],
): readonly Problem[] {
  const problems: Problem[] = [];
  // With a status of success it failed behind the response.
  if (row.exception !== null && (row.status >= 500 || row.status < 300))
    problems.push({ tone: 'err', words: clip(row.exception) });
  if (row.state === 'unfinished') problems.push({ tone: 'warn', words: say('unfinished') });
  if (row.state === 'aborted') problems.push({ tone: 'warn', words: say('aborted') });
  // The exception is itself logged: beside its chip that one entry says nothing new.
  const warnings = row.warnings - (row.exception === null ? 0 : 1);
  if (warnings > 0)
    problems.push({ tone: 'warn', words: say('{n} log warning|{n} log warnings', { n: warnings }) });
  for (const { column, finding } of collected) {
    const count = row.collected[column] ?? 0;
    if (finding !== undefined && count > 0)
      problems.push({ tone: 'warn', words: `${sayKnown(finding)} ×${count}` });
  }
  if (row.durationMs >= slowMs)
    problems.push({ tone: 'warn', words: say('slow: {time}', { time: formatMilliseconds(row.durationMs) }) });
  if (row.mark !== undefined) {
    const words = row.mark.tags.length === 0 ? [say('pinned')] : row.mark.tags.map((tag) => `#${tag}`);
    problems.push({ tone: 'mark', words: words.join(' ') });
  }
  return problems;
}

function clip(text: string): string {
  if (text.trim() === '') return say('thrown without a message');
  return text.length <= maxMessageLength ? text : `${text.slice(0, maxMessageLength)}…`;
}
