import type { ProfileRecord } from '../model/profile-record.js';
import { formatBytes, formatMilliseconds } from '../words/format.js';
import { from, logAnchor, type RecordFinding, targetIn } from './finding.js';
import { say } from '#phrases';
import type { TranslationSection } from '../collectors/create-translation-collector.js';
import type { BudgetSection } from '../collectors/create-budget-collector.js';
import { findSection } from '../collectors/define-part.js';
import { findErrorPlace } from '../record/find-place.js';
import { countLogged, failureLevels, levelsOf } from '../record/columns.js';

const maxMessageLength = 160;

/** Finds how the request ended, and what was thrown or logged. */
export function findInOutcome(record: ProfileRecord): readonly RecordFinding[] {
  return [
    ...findBrokenEnd(record),
    ...findException(record),
    ...findFailedListeners(record),
    ...findLoggedProblems(record),
    ...findMissingMessages(record),
  ];
}

function findBrokenEnd({ state, response }: ProfileRecord): readonly RecordFinding[] {
  if (state === 'complete') return [];
  const text =
    state === 'unfinished' || response === null
      ? 'No response was sent'
      : say('The response was cut off after {size}', { size: formatBytes(response.bodyBytes) });
  return [{ level: 'warn', text, target: { panel: 'request' }, explains: 'failure' }];
}

function findException({ exception }: ProfileRecord): readonly RecordFinding[] {
  if (exception === null) return [];
  const level = exception.status >= 500 ? 'error' : 'warn';
  return [{ level, text: describeException(exception), target: { panel: 'exception' }, explains: 'failure' }];
}

/** Returns what was thrown and from where, as a sentence. */
export function describeException(exception: NonNullable<ProfileRecord['exception']>): string {
  const [line = ''] = exception.message.split('\n', 1);
  const words = line.slice(0, maxMessageLength).replace(/\.$/, '');
  const named = [exception.class === 'Error' && words !== '' ? '' : exception.class, words];
  return named.filter((part) => part !== '').join(': ') + from(findErrorPlace(exception) ?? undefined);
}

/** Reports listeners that threw, unless the exception itself is reported. */
function findFailedListeners({ events, exception }: ProfileRecord): readonly RecordFinding[] {
  if (exception !== null) return [];
  const failed = events.flatMap(({ listeners }) => listeners.filter((listener) => listener.failed));
  return failed.map(({ name }) => ({
    level: 'error',
    text: say('The listener “{name}” threw', { name }),
    target: { panel: 'events' },
  }));
}

function findLoggedProblems({ logs, logTotals, exception }: ProfileRecord): readonly RecordFinding[] {
  const { errors, warnings } = countLogged(levelsOf(logTotals), exception);
  if (errors + warnings === 0) return [];
  const index = logs.findIndex(({ level }) =>
    errors > 0 ? failureLevels.includes(level) : level === 'warning',
  );
  const parts: string[] = [];
  if (errors > 0) parts.push(say('{n} error was logged|{n} errors were logged', { n: errors }));
  if (warnings > 0) parts.push(say('{n} warning was logged|{n} warnings were logged', { n: warnings }));
  const target = targetIn('logs', index === -1 ? undefined : logAnchor(index));
  return [{ level: errors > 0 ? 'error' : 'warn', text: parts.join(', '), target }];
}

const maxKeysShown = 3;

function findMissingMessages(record: ProfileRecord): readonly RecordFinding[] {
  const { messages } = findSection<TranslationSection>(record, 'translation', ['messages']) ?? {
    messages: [],
  };
  const keys = messages.filter(({ state }) => state === 'missing').map(({ key }) => key);
  if (keys.length === 0) return [];
  const shown = keys.slice(0, maxKeysShown).join(', ') + (keys.length > maxKeysShown ? ' …' : '');
  const text = say('{n} message is missing: {keys}|{n} messages are missing: {keys}', {
    n: keys.length,
    keys: shown,
  });
  return [{ level: 'warn', text, target: targetIn('translation') }];
}

const panels: Readonly<Record<string, string>> = { durationMs: 'time', bytes: 'request', queries: 'db' };

/** Finds values that exceed the budget of the route. */
export function findOverBudget(record: ProfileRecord): readonly RecordFinding[] {
  const { exceeded } = findSection<BudgetSection>(record, 'budget', ['exceeded']) ?? { exceeded: [] };
  return exceeded.map(({ what, value, limit }) => ({
    level: 'warn',
    text: say('Over budget: {value}, where the route may need {limit}', {
      value: amount(what, value),
      limit: amount(what, limit),
    }),
    target: { panel: panels[what] ?? what.split('.', 1)[0] ?? what },
  }));
}

function amount(what: string, value: number): string {
  if (what === 'bytes') return formatBytes(value);
  if (what === 'queries') return say('{n} query|{n} queries', { n: value });
  return what.endsWith('Ms') ? formatMilliseconds(value) : `${value} (${what})`;
}
