import { redactMember, redactedMark } from './redaction/redacted-mark.js';
import type { Snapshot } from './snapshot.js';

/** Takes the place of a secret value; has a text only if equal secrets can be recognised by it. */
export function redactedSnapshot(value: unknown): Snapshot {
  const text = redactMember(value);
  return text === redactedMark ? { type: 'redacted' } : { type: 'redacted', text };
}
