import { shorten } from '../../model/formatting.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { findSection } from '../define-section.js';
import { type Finder, ofKind, type RecordFinding, warning } from '../finding.js';
import { sourceOf, type ValidationSection } from './section.js';

const maxMessageLength = 160;

/** The finder for rejected values. */
export const validationFinders: readonly Finder[] = [ofKind('refused-input', findRefusedForm)];

/** Reports values that a schema rejected without an exception, for example in a form that is shown again. */
function findRefusedForm(record: ProfileRecord): RecordFinding | undefined {
  if (record.exception !== null) return undefined;
  const { validations } = findSection<ValidationSection>(record, 'validation', ['validations']) ?? {};
  const refused = validations?.find(({ violations }) => violations.length > 0);
  const [first] = refused?.violations ?? [];
  if (refused === undefined || first === undefined) return undefined;
  const count = refused.violations.length + refused.more;
  const what = [first.path, first.message].filter((part) => part !== '').join(': ');
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  const text = `${sourceOf(refused)} refused: ${shorten(what.replace(/\.$/, ''), maxMessageLength)}${more}`;
  const found: RecordFinding = { ...warning(text, 'validation'), level: 'info' };
  const status = record.response?.status ?? 0;
  return status >= 400 && status < 500 ? { ...found, level: 'warn', explains: 'failure' } : found;
}
