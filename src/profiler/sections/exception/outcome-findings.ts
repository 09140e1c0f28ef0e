import { findHeader, type ProfileRecord } from '../../model/profile-record.js';
import { formatBytes, formatMilliseconds, shorten } from '../../model/formatting.js';
import { type Finder, from, logAnchor, type RecordFinding, warning } from '../finding.js';
import { say } from '#core/phrases';
import type { TranslationSection } from '../translation/create-translation-collector.js';
import type { BudgetSection } from '../budgets/create-budget-collector.js';
import { findSection } from '../define-part.js';
import { findErrorPlace } from '../../model/find-place.js';
import { findGraphqlError } from '../../model/graphql-facts.js';
import { countLogged, failureLevels, isNodeWarning, levelsOf } from '../../model/profile-summary.js';

const maxMessageLength = 160;

/** Find how the request ended, what was thrown or logged, and what exceeded the budget of the route. */
export const outcomeFinders: readonly Finder[] = [
  findBrokenEnd,
  findException,
  findGraphqlErrors,
  findFailedListeners,
  findLoggedProblems,
  findNodeWarnings,
  findMissingMessages,
  findOverBudget,
];

function findBrokenEnd({ state, response, exception }: ProfileRecord): RecordFinding | undefined {
  if (state === 'complete') return undefined;
  const { headers = [], bodyBytes = 0 } = response ?? {};
  // Neither, if the client left before there was a response.
  if (state === 'unfinished' || headers.length + bodyBytes === 0)
    return { ...warning('No response was sent'), explains: 'failure' };
  const after = `after ${formatBytes(bodyBytes)}`;
  // Event streams end when their client leaves.
  if (exception === null && findHeader(headers, 'content-type')?.startsWith('text/event-stream') === true)
    return { ...warning(`The event stream was closed ${after}`), level: 'info' };
  return { ...warning(`The response was cut off ${after}`), explains: 'failure' };
}

function findException({ exception }: ProfileRecord): RecordFinding | undefined {
  if (exception === null) return undefined;
  const { answered } = exception;
  if (answered !== undefined) {
    const text = `${describeException(exception)}; the listener ${answered.by} answered it`;
    return { ...warning(text, 'exception'), level: 'info' };
  }
  const level = exception.status >= 500 ? 'error' : 'warn';
  return { ...warning(describeException(exception), 'exception'), level, explains: 'failure' };
}

/** Reports the errors in an answer of GraphQL where nothing was thrown: a query that is not valid, say. */
function findGraphqlErrors(record: ProfileRecord): RecordFinding | undefined {
  const message = record.exception === null ? findGraphqlError(record) : undefined;
  if (message === undefined) return undefined;
  return {
    ...warning(`The answer has an error: ${shorten(message, maxMessageLength)}`, 'request'),
    explains: 'failure',
  };
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
    text: `The listener “${name}” threw`,
    target: { panel: 'events' },
  }));
}

function findLoggedProblems({ logs, logTotals, exception }: ProfileRecord): RecordFinding | undefined {
  const { errors, warnings } = countLogged(levelsOf(logTotals), exception);
  if (errors + warnings === 0) return undefined;
  const index = logs.findIndex((entry) =>
    errors > 0 ? failureLevels.includes(entry.level) : entry.level === 'warning' && !isNodeWarning(entry),
  );
  const parts: string[] = [];
  if (errors > 0) parts.push(say('{n} error was logged|{n} errors were logged', { n: errors }));
  if (warnings > 0) parts.push(say('{n} warning was logged|{n} warnings were logged', { n: warnings }));
  const found = warning(parts.join(', '), 'logs', index === -1 ? undefined : logAnchor(index));
  return errors > 0 ? { ...found, level: 'error' } : found;
}

/** Names the first of Node's warnings, which are no problem that the application logged. */
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

const maxKeysShown = 3;

function findMissingMessages(record: ProfileRecord): RecordFinding | undefined {
  const { messages = [] } = findSection<TranslationSection>(record, 'translation', ['messages']) ?? {};
  const keys = messages.filter(({ state }) => state === 'missing').map(({ key }) => key);
  if (keys.length === 0) return undefined;
  const shown = keys.slice(0, maxKeysShown).join(', ') + (keys.length > maxKeysShown ? ' …' : '');
  const text = say('{n} message is missing: {keys}|{n} messages are missing: {keys}', {
    n: keys.length,
    keys: shown,
  });
  return warning(text, 'translation');
}

const panels: Readonly<Record<string, string>> = { durationMs: 'time', bytes: 'request', queries: 'db' };

function findOverBudget(record: ProfileRecord): readonly RecordFinding[] {
  const { exceeded = [] } = findSection<BudgetSection>(record, 'budget', ['exceeded']) ?? {};
  return exceeded.map(({ what, value, limit }) => {
    const text = `Over budget: ${amount(what, value)}; the limit of the route is ${amount(what, limit)}`;
    return warning(text, panels[what] ?? what.split('.', 1)[0]);
  });
}

function amount(what: string, value: number): string {
  if (what === 'bytes') return formatBytes(value);
  if (what === 'queries') return say('{n} query|{n} queries', { n: value });
  return what.endsWith('Ms') ? formatMilliseconds(value) : `${value} (${what})`;
}
