import type { Snapshot } from '#core/dump';
import { say } from '#core/phrases';
import type { ProfileRecord, RecordedLog } from '../../model/profile-record.js';
import { cutMark, shorten } from '../../model/formatting.js';
import { findSection } from '../define-section.js';
import { type Finder, from, locationTextOf, ofKind, type RecordFinding, targetIn } from '../finding.js';
import type { RecordedThrow, ThrowsSection } from './section.js';

/** The finding's kind. Another run of the same request may lack it, because not every throw is seen. */
export const handledErrorKind = 'handled-error';

/** The finder for errors that were caught in silence. */
export const throwsFinders: readonly Finder[] = [ofKind(handledErrorKind, findHandledErrors)];

const maxMessageLength = 160;
/** A shorter message is found in any text. */
const minMessageLength = 4;
/** Applications and libraries cut long messages when they log them. */
const comparedLength = 40;

/**
 * Returns the errors that the application caught and that left no trace: not in the log, not in the response, and not
 * as the exception. None for a failed request, whose error may be a consequence of another one.
 */
export function silentThrows(record: ProfileRecord): readonly RecordedThrow[] {
  const { state, exception, response, logs, logTotals } = record;
  if (state !== 'complete' || exception !== null || (response?.status ?? 500) >= 400) return [];
  const { throws = [] } = findSection<ThrowsSection>(record, 'throws', ['throws']) ?? {};
  // A log line that was left out, or a part that was cut, may have named the error.
  if (throws.length === 0 || logTotals.omitted > 0 || logs.some(isCut)) return [];
  const told = logs.flatMap(({ message, context }) => [
    message,
    ...(context === undefined ? [] : textsOf(context)),
  ]);
  const { body } = response ?? {};
  if (body) told.push(body.content);
  const said = told.map(wordsOf);
  return throws.filter(({ class: name, code, message }) => {
    const words = wordsOf(message.trim().split('\n', 1).join('')).slice(0, comparedLength);
    return (
      words.length >= minMessageLength &&
      !told.some((text) => text.includes(name) || (code && text.includes(code))) &&
      !said.some((text) => text.includes(words))
    );
  });
}

/** Returns a text's letters and digits, in lower case: the rest may be escaped, as in JSON, or quoted. */
function wordsOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}

function isCut({ message, context }: RecordedLog): boolean {
  return message.endsWith(cutMark) || (context !== undefined && isCutSnapshot(context));
}

function isCutSnapshot({ text = '', length = 0, type, entries = [], more, cut }: Snapshot): boolean {
  const isCutText = type === 'string' && length > text.length;
  return (
    isCutText || more !== undefined || cut !== undefined || entries.some(({ value }) => isCutSnapshot(value))
  );
}

/** Returns all texts in a snapshot, which is bounded. */
function textsOf({ text = '', entries = [] }: Snapshot): readonly string[] {
  return [text, ...entries.flatMap(({ value }) => textsOf(value))];
}

/** Names the first error that was caught in silence. */
function findHandledErrors(record: ProfileRecord): RecordFinding | undefined {
  const silent = silentThrows(record);
  const [first] = silent;
  if (first === undefined) return undefined;
  const [line = ''] = first.message.trim().split('\n', 1);
  const location = first.file === '' ? undefined : locationTextOf(first);
  const text = say(
    // Not every throw is seen, and the request's work may log an error after its end.
    'An error was thrown and caught, and no log line in this record names it: {first}|At least {n} errors were thrown and caught, and no log line in this record names them; first: {first}',
    {
      n: silent.length,
      first: shorten(`${first.class}: ${line}`, maxMessageLength) + from(location),
    },
  );
  return { level: 'info', text, target: targetIn('exception') };
}
