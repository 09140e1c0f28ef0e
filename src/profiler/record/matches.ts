import type { ProfileCondition, ProfileTest } from '../model/profile-query.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import { type ColumnValue, findColumn } from './columns.js';

/**
 * Returns whether a summary meets all conditions, by the same rules by which a store filters: for records that are not
 * stored yet.
 */
export function matches(summary: ProfileSummary, where: readonly ProfileCondition[] = []): boolean {
  return where.every(({ columns, test, isNegated = false }) => {
    const passes = testOf(test);
    return columns.some((name) => passes(columnValue(summary, name))) !== isNegated;
  });
}

/** Returns the value of a numeric column, for sorting; 0 if it is missing. */
export function sortValue(summary: ProfileSummary, column: string): number {
  const value = columnValue(summary, column);
  return typeof value === 'number' ? value : 0;
}

function columnValue(summary: ProfileSummary, name: string): ColumnValue {
  const { mark, collected } = summary;
  if (name === 'mark.pin') return mark === undefined ? null : 'pin';
  if (name === 'mark.note') return mark === undefined || mark.note === '' ? null : mark.note;
  const column = findColumn(name);
  if (column !== undefined) return column.of(summary);
  return Object.hasOwn(collected, name) ? (collected[name] ?? null) : null;
}

function testOf(test: ProfileTest): (value: ColumnValue) => boolean {
  switch (test.kind) {
    case 'missing':
      return (value) => value === null;
    case 'numbers':
      return (value) => {
        const number = typeof value === 'number' ? value : 0;
        return test.ranges.some(
          ([least, most]) => (least === null || number >= least) && (most === null || number <= most),
        );
      };
    case 'is':
      return textTest(test.texts, (value, text) => value === text);
    case 'starts':
      return textTest(test.texts, (value, text) => value.startsWith(text));
    case 'contains':
      return textTest(test.texts, (value, text) => value.includes(text));
  }
}

function textTest(texts: readonly string[], compare: (value: string, text: string) => boolean) {
  const wanted = texts.map(foldCase);
  return (value: ColumnValue): boolean => {
    if (value === null) return false;
    const folded = foldCase(String(value));
    return wanted.some((text) => compare(folded, text));
  };
}

/** Returns a text with each character in lower case, so that texts can be compared ignoring case. */
export function foldCase(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) folded += foldCharacter(character);
  return folded;
}

/** Returns whether a text consists of ASCII characters only. */
export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text); // oxlint-disable-line no-control-regex -- the range of ASCII
}

/** Characters whose lower case is an ASCII letter, or several characters, stay: a database compares them as they are. */
function foldCharacter(character: string): string {
  const lower = character.toLowerCase();
  if (character > '\x7f' && lower <= '\x7f') return character;
  return (lower.codePointAt(0) ?? 0) > 0xffff || lower.length === 1 ? lower : character;
}

/** The characters that fold to a given one; filled when a text with other letters than those of ASCII is first sought. */
let unfolded: Map<string, string[]> | undefined;

/** Returns all characters that `foldCase` turns into this one, itself among them. */
export function casesOf(folded: string): readonly string[] {
  unfolded ??= readCases();
  return unfolded.get(folded) ?? [folded];
}

function readCases(): Map<string, string[]> {
  const cases = new Map<string, string[]>();
  for (let code = 0; code < 0x1_f000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const character = String.fromCodePoint(code);
    const folded = foldCharacter(character);
    if (folded === character) continue;
    const known = cases.get(folded);
    if (known === undefined) cases.set(folded, [folded, character]);
    else known.push(character);
  }
  return cases;
}
