import type { ProfileCondition, ProfileTest } from '../../src/profiler/model/profile-query.js';
import {
  type ProfileSummary,
  type ColumnValue,
  findColumn,
} from '../../src/profiler/model/profile-summary.js';

/** Returns whether a summary meets all conditions, by a store's filter rules. */
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

/** Returns a text with its ASCII letters in lower case: the case of other letters matters, as in a database. */
function foldCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
