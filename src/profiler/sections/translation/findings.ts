import type { ProfileRecord } from '../../model/profile-record.js';
import { type Finder, ofKind, type RecordFinding, warning } from '../finding.js';
import { say } from '#core/phrases';
import type { TranslationSection } from './section.js';
import { findSection } from '../define-section.js';

const maxKeysShown = 3;

/** The finder for missing messages. */
export const translationFinders: readonly Finder[] = [ofKind('missing-message', findMissingMessages)];

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
