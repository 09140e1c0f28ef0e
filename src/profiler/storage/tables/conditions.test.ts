import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProfileCondition, ProfileTest } from '../../model/profile-query.js';
import { SqlConditions } from './conditions.js';

/** Returns the expression and the values of a condition. */
function sqlOf(columns: readonly string[], test: ProfileTest, isNegated?: boolean): readonly unknown[] {
  const statement = new SqlConditions({
    collected: (name) => `number('${name}')`,
    like: (column, pattern) => `${column} LIKE ${pattern}`,
  } as ConstructorParameters<typeof SqlConditions>[0]); // the part that is used
  const condition: ProfileCondition = { columns, test, ...(isNegated === undefined ? {} : { isNegated }) };
  return [...statement.all([condition]), ...statement.values];
}

describe('a condition in SQL', () => {
  it('for missing values tests all columns, and negated that all are present', () => {
    const missing = { kind: 'missing' } as const;
    assert.deepEqual(sqlOf(['user', 'gone'], missing), ['(user_name IS NULL OR NULL IS NULL)']);
    assert.deepEqual(sqlOf(['errorClass', 'mark.pin'], missing, true), [
      `(error_class IS NOT NULL AND CASE WHEN note IS NOT NULL THEN 'pin' END IS NOT NULL)`,
    ]);
    assert.deepEqual(sqlOf(['mark.note'], missing), [`(nullif(note, '') IS NULL)`]);
  });

  it('for numbers has inclusive bounds, rounded inwards and within 32 bits for integer columns', () => {
    const numbers = (...ranges: readonly (readonly [number | null, number | null])[]) =>
      ({ kind: 'numbers', ranges }) as const;
    assert.deepEqual(sqlOf(['durationMs'], numbers([1.5, 2.5])), [
      '((duration_ms >= $1 AND duration_ms <= $2))',
      1.5,
      2.5,
    ]);
    assert.deepEqual(sqlOf(['status'], numbers([1.5, 2.5])), ['((status >= $1 AND status <= $2))', 2, 2]);
    assert.deepEqual(sqlOf(['status'], numbers([-1e12, 1e12])).slice(1), [-(2 ** 31 - 1), 2 ** 31 - 1]);
    assert.deepEqual(sqlOf(['status'], numbers([null, 5], [7, null])), [
      '((status <= $1) OR (status >= $2))',
      5,
      7,
    ]);
    assert.deepEqual(sqlOf(['status'], numbers([null, null])), ['(TRUE)']);
    assert.deepEqual(sqlOf(['status'], numbers()), ['(FALSE)']);
    assert.deepEqual(sqlOf([], numbers([1, 2])), ['(FALSE)']);
    assert.deepEqual(sqlOf(['db.queries'], numbers([2, null]), true), [
      `NOT coalesce(((coalesce(number('db.queries'), 0) >= $1)), FALSE)`,
      2,
    ]);
    assert.deepEqual(sqlOf(['route'], numbers([1, null])), ['(((0 + 0.0) >= $1))', 1]); // a text is not a number
    assert.deepEqual(sqlOf(['gone'], numbers([1, null])), ['(((0 + 0.0) >= $1))', 1]);
  });

  it('for the start of a request also bounds its end, by which lists are ordered', () => {
    const test = { kind: 'numbers', ranges: [[10, 20]] } as const;
    assert.deepEqual(sqlOf(['startedAt'], test), [
      '((started_at >= $1 AND started_at <= $2 AND closed_at >= $3))',
      10,
      20,
      10,
    ]);
    assert.deepEqual(sqlOf(['startedAt'], { kind: 'numbers', ranges: [[null, 20]] }), [
      '((started_at <= $1))',
      20,
    ]);
  });

  it('for texts ignores the case of ASCII letters, and escapes pattern characters', () => {
    assert.deepEqual(sqlOf(['method', 'route'], { kind: 'is', texts: ['PoSTÄ', 'b'] }), [
      '(lower(method) = $1 OR lower(method) = $2 OR lower(route) = $3 OR lower(route) = $4)',
      'postÄ',
      'b',
      'postÄ',
      'b',
    ]);
    assert.deepEqual(sqlOf(['url'], { kind: 'contains', texts: ['50%_\\'] }), [
      '(url LIKE $1)',
      '%50\\%\\_\\\\%',
    ]);
    assert.deepEqual(sqlOf(['url'], { kind: 'starts', texts: ['/a\0'] }), ['(url LIKE $1)', '/a\ufffd%']);
    assert.deepEqual(sqlOf(['status'], { kind: 'is', texts: ['5'] }), [
      '(lower(CAST(status AS TEXT)) = $1)',
      '5',
    ]);
    assert.deepEqual(sqlOf(['gone'], { kind: 'is', texts: ['5'] }), ['(FALSE)']);
    assert.deepEqual(sqlOf(['url'], { kind: 'is', texts: [] }), ['(FALSE)']);
    assert.deepEqual(sqlOf(['errorClass'], { kind: 'is', texts: ['E'] }), [
      '((error_class IS NOT NULL AND (lower(error_class) = $1)))',
      'e',
    ]);
  });
});
