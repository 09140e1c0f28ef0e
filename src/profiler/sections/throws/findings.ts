import type { Snapshot } from '#core/dump';
import { say } from '#core/phrases';
import type { ProfileRecord } from '../../model/profile-record.js';
import { shorten } from '../../model/formatting.js';
import { findSection } from '../define-section.js';
import { from, locationTextOf, type RecordFinding, targetIn } from '../finding.js';
import type { RecordedThrow, ThrowsSection } from './section.js';

/** Kind of the finding. Another run of the same request may lack it, because not every throw is seen. */
export const handledErrorKind = 'handled-error';

const maxMessageLength = 160;
/** A shorter message is found in any text. */
const minMessageLength = 4;
/** Log lines cut long texts. */
const comparedLength = 100;

/**
 * Returns the errors that the application caught and that left no trace: not in the log, not in the response, and not
 * as the exception. None for a request that failed, whose error may be another one's consequence.
 */
export function silentThrows(record: ProfileRecord): readonly RecordedThrow[] {
  const { state, exception, response, logs, logTotals } = record;
  if (state !== 'complete' || exception !== null || (response?.status ?? 500) >= 400) return [];
  const { throws = [] } = findSection<ThrowsSection>(record, 'throws', ['throws']) ?? {};
  // A log line that was left out may have named the error.
  if (throws.length === 0 || logTotals.omitted > 0) return [];
  const told = logs.flatMap(({ message, context }) => [
    message,
    ...(context === undefined ? [] : textsOf(context)),
  ]);
  const { body } = response ?? {};
  if (body) told.push(body.content);
  return throws.filter(
    ({ class: name, message }) => !told.some((text) => names(text, message) || text.includes(name)),
  );
}

function names(text: string, message: string): boolean {
  const [line = ''] = message.trim().split('\n', 1);
  return line.length < minMessageLength || text.includes(line.slice(0, comparedLength));
}

/** Returns all texts in a snapshot, which is bounded. */
function textsOf({ text = '', entries = [] }: Snapshot): readonly string[] {
  return [text, ...entries.flatMap(({ value }) => textsOf(value))];
}

/** Names the first error that was caught in silence. */
export function findHandledErrors(record: ProfileRecord): RecordFinding | undefined {
  const silent = silentThrows(record);
  const [first] = silent;
  if (first === undefined) return undefined;
  const [line = ''] = first.message.trim().split('\n', 1);
  const location = first.file === '' ? undefined : locationTextOf(first);
  const text = say(
    '{n} error was thrown and caught, and no log line names it: {first}|{n} errors were thrown and caught, and no log line names them; first: {first}',
    {
      n: silent.length,
      first: shorten(`${first.class}: ${line}`, maxMessageLength) + from(location),
    },
  );
  return { level: 'info', text, target: targetIn('exception') };
}
