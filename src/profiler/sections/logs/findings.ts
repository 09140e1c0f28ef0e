import type { Snapshot } from '#core/dump';
import type { ProfileRecord } from '../../model/profile-record.js';
import { shorten } from '../../model/formatting.js';
import { type Finder, type RecordFinding, logAnchor, ofKind, warning } from '../finding.js';
import { say } from '#core/phrases';
import { countLogged, failureLevels, isNodeWarning, levelsOf } from '../../model/profile-summary.js';
import { maxMessageLength } from '../exception/findings.js';

/** Finders for logged problems, warnings of Node, and promises among logged values. */
export const logFinders: readonly Finder[] = [
  ofKind('log-error', findLoggedProblems),
  ofKind('node-warning', findNodeWarnings),
  ofKind('not-awaited', findPromisesInLogs),
];

/** Counts logged errors and warnings, and quotes the first line with the more severe level. */
function findLoggedProblems({ logs, logTotals, exception }: ProfileRecord): RecordFinding | undefined {
  const levels = levelsOf(logTotals);
  const { errors, warnings } = countLogged(levels, exception);
  if (errors + warnings === 0) return undefined;
  const isQuoted = (entry: ProfileRecord['logs'][number]): boolean =>
    errors > 0 ? failureLevels.includes(entry.level) : entry.level === 'warning' && !isNodeWarning(entry);
  const index = logs.findIndex(isQuoted);
  const total = errors > 0 ? levels.errors : levels.warnings - levels.errors;
  // Lines that are left out may precede it.
  const isFirst = index < logTotals.omittedAfter || logs.filter(isQuoted).length === total;
  const parts: string[] = [];
  if (errors > 0) parts.push(say('{n} error was logged|{n} errors were logged', { n: errors }));
  if (warnings > 0) parts.push(say('{n} warning was logged|{n} warnings were logged', { n: warnings }));
  const [line = ''] = (logs[index]?.message ?? '').trim().split('\n', 1);
  const said = line === '' ? '' : leadTo({ errors, warnings, isFirst }, shorten(line, maxMessageLength));
  const found = warning(parts.join(', ') + said, 'logs', index === -1 ? undefined : logAnchor(index));
  return errors > 0 ? { ...found, kind: 'log-error', level: 'error' } : { ...found, kind: 'log-warning' };
}

/** Introduces a quoted line. If only one counts, a line that may not be the first may not be that one. */
function leadTo(
  {
    errors,
    warnings,
    isFirst,
  }: { readonly errors: number; readonly warnings: number; readonly isFirst: boolean },
  quoted: string,
): string {
  if (errors + warnings === 1) return isFirst ? `: ${quoted}` : '';
  const which = isFirst ? 'first' : 'a later';
  return `; ${which}${errors > 0 ? ' error' : isFirst ? '' : ' one'}: ${quoted}`;
}

/** Finds promises among the values in log lines, which logs cannot show. */
function findPromisesInLogs({ logs }: ProfileRecord): readonly RecordFinding[] {
  const found: RecordFinding[] = [];
  for (const [index, { message, context }] of logs.entries()) {
    const path = context === undefined ? undefined : findPromise(context);
    if (path === undefined) continue;
    const [line = ''] = message.trim().split('\n', 1);
    const where = line === '' ? '' : ` “${shorten(line, maxMessageLength)}”`;
    found.push(
      warning(
        `The log line${where} has a promise at ${path}: is an await missing?`,
        'logs',
        logAnchor(index),
      ),
    );
    if (found.length === maxPromises) break;
  }
  return found;
}

/** Maximum number of findings about promises in log lines. */
const maxPromises = 3;

/** The path to the first promise in a snapshot, which is bounded: `user`, `users[0].name`. */
function findPromise(snapshot: Snapshot, path = ''): string | undefined {
  if (snapshot.type === 'promise') return path;
  if (snapshot.type !== 'object' && snapshot.type !== 'array') return undefined;
  for (const { key, kind, value } of snapshot.entries ?? []) {
    if (kind !== 'index' && kind !== 'property') continue;
    const step = kind === 'index' ? `[${key}]` : path === '' ? key : `.${key}`;
    const found = findPromise(value, path + step);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Quotes the first of Node's own warnings, which are not problems logged by the application. */
function findNodeWarnings({ logs, logTotals }: ProfileRecord): RecordFinding | undefined {
  const { nodeWarnings } = levelsOf(logTotals);
  if (nodeWarnings === 0) return undefined;
  const index = logs.findIndex(isNodeWarning);
  const [first = ''] = (logs[index]?.message ?? '').split('\n', 1);
  const shown = shorten(first, maxMessageLength);
  const count = say('{n} warning of Node|{n} warnings of Node', { n: nodeWarnings });
  const text = first === '' ? count : `${count}: ${shown}${nodeWarnings > 1 ? ' …' : ''}`;
  return warning(text, 'logs', index === -1 ? undefined : logAnchor(index));
}
