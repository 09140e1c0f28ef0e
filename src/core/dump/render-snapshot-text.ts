import { redactedMark } from './redaction/redacted-mark.js';
import type { Snapshot, SnapshotEntry } from './snapshot.js';

/** Renders a snapshot as indented text, for terminals, plain text and Markdown. Strings are in JSON quotes. */
export function renderSnapshotText(snapshot: Snapshot, indent = ''): string {
  if (snapshot.entries === undefined || snapshot.entries.length === 0) return renderLeafText(snapshot);
  const inner = `${indent}  `;
  const lines = snapshot.entries.map(
    (entry) => `${inner}${entryHead(entry)}${renderSnapshotText(entry.value, inner)}`,
  );
  if (snapshot.more !== undefined && snapshot.more > 0) lines.push(`${inner}… ${snapshot.more} more`);
  const [open, close] = snapshot.type === 'array' ? ['[', ']'] : ['{', '}'];
  return `${branchHead(snapshot)}${open}\n${lines.join('\n')}\n${indent}${close}`;
}

/** Renders a snapshot with its entries on one line of at most `maxLength` characters; cuts are marked. */
export function renderSnapshotLine(snapshot: Snapshot, maxLength = 120): string {
  const { entries = [], more = 0, type } = snapshot;
  if (entries.length === 0) return cutLine(renderLeafText(snapshot), maxLength);
  const parts = entries.map((entry) => `${entryHead(entry)}${renderSnapshotLine(entry.value, maxLength)}`);
  if (more > 0) parts.push(`… ${more} more`);
  const [open, close] = type === 'array' ? ['[', ']'] : ['{', '}'];
  return cutLine(`${branchHead(snapshot)}${open} ${parts.join(', ')} ${close}`, maxLength);
}

function cutLine(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}

/** Renders a snapshot on one line: a leaf's text, or a branch without its entries. */
export function renderLeafText(snapshot: Snapshot): string {
  switch (snapshot.type) {
    case 'string':
      return JSON.stringify(snapshot.text ?? '') + cutNote(snapshot);
    case 'redacted':
      return snapshot.text ?? redactedMark;
    case 'getter':
      return '[getter, not run]';
    case 'reference':
      return `[seen above, *${snapshot.text ?? ''}]`;
    case 'unreadable':
      return '[unreadable]';
    case 'proxy':
    case 'promise':
      return `[${snapshot.text ?? ''}]`;
    case 'function':
      return `[function ${snapshot.text ?? ''}]`;
    default:
      if (snapshot.entries !== undefined || snapshot.cut !== undefined) return branchOnOneLine(snapshot);
      return snapshot.text ?? snapshot.type;
  }
}

/** Classes implied by the brackets; `null` is the class of objects without a prototype. */
const plainClasses: ReadonlySet<string | undefined> = new Set(['Object', 'Array', 'null', undefined]);

/** Renders the text before the braces of a branch: number, class (unless it is a plain object or array) and size. */
export function branchHead(snapshot: Snapshot): string {
  const plain = plainClasses.has(snapshot.text);
  const id = snapshot.id === undefined ? '' : `*${snapshot.id} `;
  const size = snapshot.length === undefined ? '' : `(${snapshot.length})`;
  return id + (plain && size === '' ? '' : `${snapshot.text ?? ''}${size} `);
}

export function entryHead(entry: SnapshotEntry): string {
  if (entry.kind === 'index') return '';
  if (entry.kind !== 'key') return `${entry.key}: `;
  const key = entry.keySnapshot === undefined ? JSON.stringify(entry.key) : renderLeafText(entry.keySnapshot);
  return `${key} => `;
}

/** Renders how many characters of a truncated string are omitted; empty if it is complete. */
export function cutNote(snapshot: Snapshot): string {
  const left = (snapshot.length ?? 0) - (snapshot.text ?? '').length;
  return left > 0 ? ` … ${left} more characters` : '';
}

/** Renders how many entries were left out of an object or a collection. */
export function moreText({ type, more = 0 }: Snapshot): string {
  const unit = type === 'object' ? (more === 1 ? ' field' : ' fields') : '';
  return `${more} more${unit}`;
}

function branchOnOneLine(snapshot: Snapshot): string {
  const { entries = [], cut, more = 0 } = snapshot;
  const [open, close] = snapshot.type === 'array' ? ['[', ']'] : ['{', '}'];
  const left = { depth: 'not expanded', size: moreText(snapshot), time: 'not read: it took too long' }[
    cut ?? 'size'
  ];
  const inside = entries.length > 0 ? '…' : more > 0 ? ` … ${left} ` : '';
  return branchHead(snapshot) + open + inside + close;
}
