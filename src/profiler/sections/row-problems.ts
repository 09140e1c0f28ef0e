import { slowMs } from '../search/query-fields.js';
import { type ProfileSummary, countLogged } from '../model/profile-summary.js';
import type { CollectedField } from './section.js';
import { formatMilliseconds, shorten } from '../model/formatting.js';
import { refusalKinds } from './finding.js';
import { noticeableMs } from './time/findings.js';
import { say } from '#core/phrases';

/** A notable fact about a request, in a few words. */
export interface Problem {
  readonly tone: 'warn' | 'err' | 'plain';
  readonly words: string;
  /** Application location, as `greeting.ts:14`. */
  readonly location?: string;
}

const maxMessageLength = 40;
const maxRefusalLength = 100;

/** Returns a request's problems: the cause of its failure, then the work that took most of its time, then the rest. */
export function problemsOf(
  row: ProfileSummary,
  collected: readonly CollectedField[] = [],
): readonly Problem[] {
  const problems: Problem[] = [];
  const warn = (words: string): number => problems.push({ tone: 'warn', words });
  // With a success status, the exception was thrown after the response.
  const isFailure = row.status >= 500 || row.status < 300;
  if (row.exception !== null && isFailure)
    problems.push({ tone: 'err', words: clip(row.exception), ...locationTextOf(row.errorLocation) });
  const { errors, warnings } = countLogged(row, row.exception);
  if (errors > 0) problems.push({ tone: 'err', words: loggedWords(row, errors) });
  const exitCode = row.collected['command.exitCode'] ?? 0;
  if (exitCode > 0) problems.push({ tone: 'err', words: `exit code ${exitCode}` });
  if (row.state === 'unfinished') warn('unfinished');
  if (row.state === 'aborted') warn('the client disconnected');
  const longest = longestOf(row);
  const found = collected.flatMap(({ column, finding }) => {
    const count = row.collected[column] ?? 0;
    if (finding === undefined || count === 0) return [];
    if (column !== 'db.slow' || row.collected['db.queries'] !== 1)
      return [{ column, words: count === 1 ? finding : `${finding} ×${count}` }];
    const time = formatMilliseconds(row.collected['db.durationMs'] ?? 0);
    return [{ column, words: `One query took ${time}` }];
  });
  // Query findings say more than that the database took the time.
  const explained = longest?.kind === 'database' && found.some(({ column }) => column.startsWith('db.'));
  if (longest !== undefined && !explained) warn(longest.words);
  // The location belongs to the first query finding.
  const placed = found.find(({ column }) => column.startsWith('db.'));
  for (const one of found)
    problems.push({
      tone: 'warn',
      words: one.words,
      ...(one === placed ? locationTextOf(row.queryLocation) : {}),
    });
  if (longest === undefined && row.answerMs >= slowMs) warn(`slow: ${formatMilliseconds(row.answerMs)}`);
  const streamedMs = row.durationMs - row.answerMs;
  if (longest === undefined && row.status !== 101 && streamedMs >= Math.max(noticeableMs, row.durationMs / 2))
    problems.push({ tone: 'plain', words: `streamed for ${formatMilliseconds(streamedMs)}` });
  const refusal = refusalOf(row);
  if (refusal !== undefined) problems.push({ tone: 'plain', words: shorten(refusal.text, maxRefusalLength) });
  else if (row.exception !== null && !isFailure) problems.push({ tone: 'plain', words: clip(row.exception) });
  if (warnings > 0) warn(say('{n} log warning|{n} log warnings', { n: warnings }));
  if (row.nodeWarnings > 0) warn(say('{n} Node warning|{n} Node warnings', { n: row.nodeWarnings }));
  return problems;
}

/** Quotes a single logged error, if its finding does and no exception has a log line too; otherwise counts. */
function loggedWords({ findings, exception }: ProfileSummary, errors: number): string {
  const text = exception === null ? findings.find(({ kind }) => kind === 'log-error')?.text : undefined;
  const [, quoted] = /^1 error was logged: (.+)$/s.exec(text ?? '') ?? [];
  return quoted === undefined
    ? say('{n} logged error|{n} logged errors', { n: errors })
    : `logged: ${shorten(quoted, maxMessageLength)}`;
}

/** Returns the finding that explains why a request was refused. */
function refusalOf({ status, findings }: ProfileSummary): ProfileSummary['findings'][number] | undefined {
  if (status < 400 || status > 499) return undefined;
  return findings.find(({ kind }) => refusalKinds.has(kind));
}

/** Kinds of work that can explain a slow request. */
const kinds = [
  ['app', 'Your code'],
  ['database', 'The database'],
  ['http', 'Outgoing calls'],
  ['rendering', 'Rendering'],
  ['profiler', 'The profiler'],
] as const;

const minKindMs = 20;

/** Returns the kind of work that took at least half of a noticeably slow request. */
function longestOf(row: ProfileSummary): { kind: string; words: string } | undefined {
  const { durationMs, answerMs, breakdown } = row;
  if (durationMs < noticeableMs) return undefined;
  const least = (durationMs - breakdown.busy) / 2; // machine time is not a kind of work
  const found = kinds.find(([kind]) => breakdown[kind] >= Math.max(least, minKindMs));
  if (found === undefined) {
    const isStream = durationMs - answerMs >= durationMs / 2;
    if (isStream || breakdown.waiting < Math.max(least, minKindMs)) return undefined;
    return { kind: 'waiting', words: `Waited ${formatMilliseconds(breakdown.waiting)}` };
  }
  const [kind, what] = found;
  return { kind, words: `${what} took ${formatMilliseconds(breakdown[kind])}` };
}

function locationTextOf(location: string | null = null): { location?: string } {
  const short =
    location === null || location.startsWith('lookback/')
      ? ''
      : location.slice(location.lastIndexOf('/') + 1);
  return short === '' ? {} : { location: short };
}

function clip(text: string): string {
  return text.trim() === '' ? 'thrown without a message' : shorten(text, maxMessageLength);
}
