/**
 * Snapshots of foreign values as data that is safe to store and show: bounded, redacted, and taken without running a
 * getter, a Proxy trap, `toJSON` or `toString`. `dump` never throws.
 */
export { createDump, dump, type DumpOptions } from './dump/dump-value.js';
export type { DumpLimits, Snapshot, SnapshotEntry, SnapshotType } from './dump/snapshot.js';
export { redactedSnapshot } from './dump/redacted-snapshot.js';
export { fillPlaceholders } from './dump/fill-placeholders.js';
export { renderSnapshotLine, renderSnapshotText } from './dump/render-snapshot-text.js';
export { SnapshotView, snapshotStyles } from './dump/snapshot-view.js';
export { createRedactor, type Redactor } from './dump/redaction/create-redactor.js';
export { headerBytes, headerText } from './dump/redaction/header-text.js';
export {
  isPlainValue,
  isSecretLabel,
  labelledNames,
  labelNames,
  labelTextOf,
  privateKeyMembers,
  type RedactorOptions,
} from './dump/redaction/secret-names.js';
export { secretVariablesBeside } from './dump/redaction/redact-graphql.js';
export { hidePathValues } from './dump/redaction/redact-url.js';
export {
  containsRedacted,
  decodePercent,
  markKeyId,
  redactMember,
  redactSecret,
  redactedMark,
} from './dump/redaction/redacted-mark.js';
export { classNameOf, findData, takeGetter } from './dump/read-data.js';
