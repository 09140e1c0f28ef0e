import { findColumn, isCollectedName, toStoredText } from '../record/columns.js';
import type { ProfileCondition, ProfileTest } from '../model/profile-query.js';
import type { SqlDialect, SqlValues } from './sql-database.js';

type TextTest = Extract<ProfileTest, { kind: 'is' | 'starts' | 'contains' }>;

/** Largest value of an integer column. */
const maxInteger = 2 ** 31 - 1;

/** Converts conditions to SQL, by the rules of `matches`: each is an expression that is true for the rows that meet it. */
export class SqlConditions {
  readonly #dialect: SqlDialect;
  readonly #values: SqlValues;

  constructor(dialect: SqlDialect, values: SqlValues) {
    this.#dialect = dialect;
    this.#values = values;
  }

  /** Returns the expressions for all conditions, to be combined by `AND`. */
  all(where: readonly ProfileCondition[] = []): string[] {
    return where.map(({ columns, test, isNegated = false }) => {
      if (test.kind === 'missing') {
        const missing = columns.map((name) => this.#text(name) ?? this.#number(name)?.sql);
        const tests = missing.map((sql) =>
          sql === undefined ? 'TRUE' : `${sql} IS ${isNegated ? 'NOT ' : ''}NULL`,
        );
        return isNegated
          ? `(${tests.map((sql) => (sql === 'TRUE' ? 'FALSE' : sql)).join(' AND ')})`
          : `(${tests.join(' OR ')})`;
      }
      const passes = columns.map((name) => this.#test(name, test)).join(' OR ') || 'FALSE';
      return isNegated ? `NOT coalesce((${passes}), FALSE)` : `(${passes})`;
    });
  }

  /** Returns the expression of a numeric column, 0 where the value is missing; undefined if there is no such column. */
  number(name: string): string | undefined {
    const found = this.#number(name);
    return found?.isNullable === true ? `coalesce(${found.sql}, 0)` : found?.sql;
  }

  #test(name: string, test: Exclude<ProfileTest, { kind: 'missing' }>): string {
    if (test.kind === 'numbers') return this.#ranges(name, test.ranges);
    const text = this.#text(name);
    if (text !== undefined) return this.#anyText(text, test);
    const number = this.#number(name);
    return number === undefined ? 'FALSE' : this.#anyText(`CAST(${number.sql} AS TEXT)`, test);
  }

  #ranges(name: string, ranges: Extract<ProfileTest, { kind: 'numbers' }>['ranges']): string {
    const number = this.number(name);
    const column = findColumn(name);
    const tests = ranges.map(([least, most]) => {
      // A column without numbers counts as 0.
      if (number === undefined) return (least ?? 0) <= 0 && (most ?? 0) >= 0 ? 'TRUE' : 'FALSE';
      const bounds = [
        ...(least === null ? [] : [`${number} >= ${this.#bound(column?.type, Math.ceil, least)}`]),
        ...(most === null ? [] : [`${number} <= ${this.#bound(column?.type, Math.floor, most)}`]),
      ];
      // A request cannot end before it began; lists are ordered by the end, which has an index.
      if (name === 'startedAt' && least !== null)
        bounds.push(`closed_at >= ${this.#bound('time', Math.ceil, least)}`);
      return bounds.length === 0 ? 'TRUE' : `(${bounds.join(' AND ')})`;
    });
    return tests.join(' OR ') || 'FALSE';
  }

  #bound(type: string | undefined, round: (value: number) => number, value: number): string {
    if (type === 'time') return this.#dialect.toTime(this.#values.add(round(value * 1000) / 1000));
    if (type !== 'integer') return this.#values.add(value);
    return this.#values.add(Math.max(-maxInteger, Math.min(maxInteger, round(value))));
  }

  #number(name: string): { readonly sql: string; readonly isNullable: boolean } | undefined {
    const column = findColumn(name);
    if (column !== undefined)
      return column.type === 'text' ? undefined : { sql: column.name, isNullable: false };
    return isCollectedName(name) ? { sql: this.#dialect.collected(name), isNullable: true } : undefined;
  }

  #text(name: string): string | undefined {
    if (name === 'mark.pin') return `CASE WHEN note IS NOT NULL THEN 'pin' END`;
    if (name === 'mark.note') return `nullif(note, '')`;
    const column = findColumn(name);
    return column?.type === 'text' ? column.name : undefined;
  }

  /** Ignores the case of ASCII letters, as both databases do. */
  #anyText(column: string, test: TextTest): string {
    const tests = test.texts.map((text) => {
      const wanted = toStoredText(text);
      if (test.kind === 'is')
        return `lower(${column}) = ${this.#values.add(wanted.replaceAll(/[A-Z]+/g, (some) => some.toLowerCase()))}`;
      return this.#dialect.like(column, this.#values.add(likePattern(test.kind, wanted)));
    });
    const passes = tests.join(' OR ') || 'FALSE';
    // Lets the databases use the index of the rows that have an error.
    return column === 'error_class' ? `(error_class IS NOT NULL AND (${passes}))` : passes;
  }
}

function likePattern(kind: 'starts' | 'contains', text: string): string {
  return `${kind === 'contains' ? '%' : ''}${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
