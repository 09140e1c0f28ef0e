import {
  findColumn,
  isCollectedName,
  type ListColumn,
  maxInteger,
  toStoredText,
} from '../../model/profile-summary.js';
import type { ProfileCondition, ProfileTest } from '../../model/profile-query.js';
import type { SqlDialect } from './sql-database.js';

type TextTest = Extract<ProfileTest, { kind: 'is' | 'starts' | 'contains' }>;

/** Converts conditions to SQL expressions that are true for matching rows, and collects the bound values. */
export class SqlConditions {
  readonly values: unknown[] = [];
  readonly #dialect: SqlDialect;

  constructor(dialect: SqlDialect) {
    this.#dialect = dialect;
  }

  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** Returns all conditions' expressions, to be combined by `AND`. */
  all(where: readonly ProfileCondition[] = []): string[] {
    return where.map(({ columns, test, isNegated = false }) => {
      if (test.kind === 'missing') {
        // Not a negated expression, for which the databases would not use the index on rows with errors.
        const [is, and] = isNegated ? ['IS NOT NULL', ' AND '] : ['IS NULL', ' OR '];
        return `(${columns.map((name) => `${this.#find(name)?.sql ?? 'NULL'} ${is}`).join(and)})`;
      }
      const passes = columns.map((name) => this.#test(name, test)).join(' OR ') || 'FALSE';
      return isNegated ? `NOT coalesce((${passes}), FALSE)` : `(${passes})`;
    });
  }

  /** Returns the expression for a numeric column; 0 for missing values and unknown columns. */
  number(name: string): string {
    const { sql, type } = this.#find(name) ?? {};
    if (sql === undefined || type === 'text') return '(0 + 0.0)';
    return type === 'collected' ? `coalesce(${sql}, 0)` : sql;
  }

  #find(name: string): { readonly sql: string; readonly type: ListColumn['type'] | 'collected' } | undefined {
    if (name === 'mark.pin') return { sql: `CASE WHEN note IS NOT NULL THEN 'pin' END`, type: 'text' };
    if (name === 'mark.note') return { sql: `nullif(note, '')`, type: 'text' };
    if (isCollectedName(name)) return { sql: this.#dialect.collected(name), type: 'collected' };
    const column = findColumn(name);
    return column === undefined ? undefined : { sql: column.name, type: column.type };
  }

  #test(name: string, test: Exclude<ProfileTest, { kind: 'missing' }>): string {
    if (test.kind === 'numbers') return this.#ranges(name, test.ranges);
    const { sql, type } = this.#find(name) ?? {};
    if (sql === undefined) return 'FALSE';
    return this.#anyText(type === 'text' ? sql : `CAST(${sql} AS TEXT)`, test);
  }

  #ranges(name: string, ranges: Extract<ProfileTest, { kind: 'numbers' }>['ranges']): string {
    const number = this.number(name);
    // Integer columns are compared with integers in their range only.
    const isInteger = findColumn(name)?.type === 'integer';
    const bound = (value: number, round: (value: number) => number): string =>
      this.add(isInteger ? Math.max(-maxInteger, Math.min(maxInteger, round(value))) : value);
    const tests = ranges.map(([least, most]) => {
      const bounds = [
        ...(least === null ? [] : [`${number} >= ${bound(least, Math.ceil)}`]),
        ...(most === null ? [] : [`${number} <= ${bound(most, Math.floor)}`]),
      ];
      // A request cannot end before it begins; lists are ordered by the end, which has an index.
      if (name === 'startedAt' && least !== null) bounds.push(`closed_at >= ${this.add(least)}`);
      return bounds.length === 0 ? 'TRUE' : `(${bounds.join(' AND ')})`;
    });
    return tests.join(' OR ') || 'FALSE';
  }

  /** Ignores the case of ASCII letters only, as both databases do. */
  #anyText(column: string, { kind, texts }: TextTest): string {
    const tests = texts.map((text) => {
      const wanted = toStoredText(text);
      if (kind === 'is')
        return `lower(${column}) = ${this.add(wanted.replaceAll(/[A-Z]+/g, (some) => some.toLowerCase()))}`;
      const pattern = `${kind === 'contains' ? '%' : ''}${wanted.replaceAll(/[\\%_]/g, '\\$&')}%`;
      return this.#dialect.like(column, this.add(pattern));
    });
    const passes = tests.join(' OR ') || 'FALSE';
    // Lets the databases use the index on rows with errors.
    return column === 'error_class' ? `(error_class IS NOT NULL AND (${passes}))` : passes;
  }
}
