import type { Snapshot, SnapshotType } from './snapshot.js';
import { redactedMark } from './redaction/redacted-mark.js';

/**
 * Types whose text represents the value; a branch's text would be its class name, and getters and proxies are not read.
 */
const filled: ReadonlySet<SnapshotType> = new Set([
  'null',
  'boolean',
  'number',
  'bigint',
  'string',
  'date',
  'redacted',
] as const);

const placeholder = /\{([\w.-]{1,100})\}/g;

/**
 * Fills a log message's placeholders (`{name}`) with values from a snapshot of its context: without secrets, and with
 * truncated texts marked. Placeholders without a value, or with an object, stay unchanged.
 */
export function fillPlaceholders(message: string, context: Snapshot | undefined): string {
  const entries = context?.entries;
  if (entries === undefined || !message.includes('{')) return message;
  return message.replace(placeholder, (whole, name: string) => {
    const value = entries.find(({ key, kind }) => key === name && kind !== 'symbol')?.value;
    if (value === undefined || !filled.has(value.type)) return whole;
    if (value.type === 'redacted') return value.text ?? redactedMark;
    const { text = '', length } = value;
    return length !== undefined && length > text.length ? `${text}…` : text;
  });
}
