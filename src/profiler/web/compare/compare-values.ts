import { renderSnapshotLine, type Snapshot } from '#core/dump';
import { say } from '#core/phrases';

/** A value that differs between two records, paired by name; null where a record lacks it. */
export interface NamedDifference {
  /** The part it belongs to: `request body`, `headers`. */
  readonly part: string;
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What comparing values yields. */
export interface ValueDifferences {
  readonly differences: {
    readonly name: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  /** Names of values redacted or truncated in both, so that they cannot be compared. */
  readonly unknown: string[];
  /** Whether marks of both records have one key, so that different marks mean different secrets. */
  readonly hasOneKey: boolean;
}

const maxDepth = 6;
const maxLineLength = 160;

/** Compares two dumped values member by member, and adds the differences to `found`. */
export function compareSnapshots(
  [before, after]: readonly [Snapshot, Snapshot],
  found: ValueDifferences,
  name = '',
  depth = 0,
): void {
  if (before.type === 'redacted' && after.type === 'redacted') {
    const [a, b] = [before.text, after.text];
    // Equal marks are always meaningful; different ones may come from two processes, each with its own key.
    if (a === undefined || b === undefined || (a !== b && !found.hasOneKey)) found.unknown.push(name);
    else if (a !== b) found.differences.push({ name, before: a, after: b });
  } else if (isBranch(before) && isBranch(after) && before.type === after.type && depth < maxDepth) {
    if (before.type === 'array') compareLists(before, after, found, { name, depth });
    else compareMembers(before, after, found, { name, depth });
  } else if (JSON.stringify(before) !== JSON.stringify(after))
    found.differences.push({ name, before: lineOf(before), after: lineOf(after) });
  else if (isCut(before)) found.unknown.push(name);
}

interface Place {
  readonly name: string;
  readonly depth: number;
}

function compareMembers(before: Snapshot, after: Snapshot, found: ValueDifferences, place: Place): void {
  const [was, is] = [membersOf(before), membersOf(after)];
  for (const key of new Set([...was.keys(), ...is.keys()])) {
    const name = place.name === '' ? key : `${place.name}.${key}`;
    const [a, b] = [was.get(key), is.get(key)];
    if (a !== undefined && b !== undefined) compareSnapshots([a, b], found, name, place.depth + 1);
    else found.differences.push({ name, before: lineOf(a), after: lineOf(b) });
  }
  if ((before.more ?? 0) + (after.more ?? 0) > 0)
    found.unknown.push(`further members of ${place.name || 'it'}`);
}

/** An additional list entry counts as one difference; changed entries are compared by index. */
function compareLists(before: Snapshot, after: Snapshot, found: ValueDifferences, place: Place): void {
  const [was, is] = [entriesOf(before), entriesOf(after)];
  const same = was.findIndex((value, at) => JSON.stringify(value) !== JSON.stringify(is[at]));
  const common = same === -1 ? was.length : same;
  const shorter = Math.min(was.length, is.length);
  const [counted, more] = [countOf(before), countOf(after)];
  const added = (list: readonly Snapshot[], sign: string): string =>
    list.length > common
      ? ` ${sign} ${list
          .slice(common)
          .map((one) => renderSnapshotLine(one, maxLineLength))
          .join(', ')}`
      : '';
  if (common === shorter) {
    if (was.length !== is.length || counted !== more)
      found.differences.push({
        name: place.name,
        before: `${counted}${added(was, '+').slice(0, maxLineLength)}`,
        after: `${more}${added(is, '+').slice(0, maxLineLength)}`,
      });
  } else {
    if (counted !== more) found.differences.push({ name: place.name, before: counted, after: more });
    for (let at = 0; at < shorter; at++) {
      const [a, b] = [was[at], is[at]];
      if (a !== undefined && b !== undefined)
        compareSnapshots([a, b], found, `${place.name}[${at}]`, place.depth + 1);
    }
  }
  if ((before.more ?? 0) > 0 && (after.more ?? 0) > 0)
    found.unknown.push(`further entries of ${place.name || 'it'}`);
}

function countOf(list: Snapshot): string {
  const n = list.length ?? entriesOf(list).length;
  return say('{n} item|{n} items', { n });
}

function entriesOf({ entries = [] }: Snapshot): readonly Snapshot[] {
  return entries.map(({ value }) => value);
}

function membersOf({ entries = [] }: Snapshot): ReadonlyMap<string, Snapshot> {
  return new Map(entries.map(({ key, value }) => [key, value]));
}

function isBranch({ entries, cut, type }: Snapshot): boolean {
  return cut === undefined && (entries !== undefined || type === 'array' || type === 'object');
}

/** Returns whether only the beginning of a value is known. */
function isCut({ text = '', length, cut, type }: Snapshot): boolean {
  return cut !== undefined || (type === 'string' && length !== undefined && length > text.length);
}

function lineOf(value: Snapshot | undefined): string | null {
  return value === undefined ? null : renderSnapshotLine(value, maxLineLength);
}
