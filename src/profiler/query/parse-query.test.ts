import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ProfileTest } from '../model/profile-query.js';
import { formatTerm, parseFieldValue, parseQuery } from './parse-query.js';
import { queryFields } from './query-fields.js';

/** Halves of surrogate pairs among them; made faster than the library's own unit. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const now = Date.UTC(2026, 10, 22, 12);
const collected = [
  { column: 'db.queries', kind: 'count' },
  { column: 'db.durationMs', kind: 'ms' },
  { column: 'db.repeated', kind: 'count', finding: 'N+1' },
] as const;

function testOf(query: string): ProfileTest | undefined {
  const { where, problems } = parseQuery(query, { now, collected });
  assert.deepEqual(problems, [], query);
  assert.equal(where.length, 1, query);
  return where[0]?.test;
}

describe('parseQuery', () => {
  it('reads fields, their negations and texts', () => {
    const { where, terms, problems } = parseQuery('status:>=500 -path:/health* "full text" café', { now });
    assert.deepEqual(problems, []);
    assert.deepEqual(
      where.map(({ columns, test, isNegated }) => [columns.length > 1 ? 'any' : columns[0], test, isNegated]),
      [
        ['status', { kind: 'numbers', ranges: [[500, null]] }, false],
        ['path', { kind: 'starts', texts: ['/health'] }, true],
        ['any', { kind: 'contains', texts: ['full text'] }, false],
        ['any', { kind: 'contains', texts: ['café'] }, false],
      ],
    );
    assert.deepEqual(
      terms.map(({ from, to, field }) => [from, to, field]),
      [
        [0, 12, 'status'],
        [13, 27, 'path'],
        [28, 39, ''],
        [40, 44, ''],
      ],
    );
  });

  it('reads numbers, with units, comparisons, ranges and alternatives', () => {
    for (const [query, ...ranges] of [
      ['status:404', [404, 404]],
      ['status:4xx,50x,0', [400, 499], [500, 509], [0, 0]],
      ['status:>499', [500, null]],
      ['status:<300', [null, 299]],
      ['logs:3..5', [3, 5]],
      ['logs:3..', [3, null]],
      ['logs:..5', [null, 5]],
      ['duration:200', [200, null]],
      ['time:>=1.5s', [1500, null]],
      ['TIME:<=2m', [null, 120_000]],
      ['duration:100us..1ms', [0.1, 1]],
      ['duration:=5ms', [5, 5]],
      ['queries:>10', [11, null]],
      ['db.queries:10', [10, 10]],
      ['durationMs:5', [5, null]],
      ['mail.sent:2', [2, 2]],
      ['after:10m', [now - 600_000, null]],
      ['before:1764000000000', [null, 1_764_000_000_000]],
      ['after:2026-01-31T10:00Z', [Date.UTC(2026, 0, 31, 10), null]],
      ['after:2026-01-31', [new Date(2026, 0, 31).getTime(), null]],
      ['before:"2026-01-31 10:00:05"', [null, new Date(2026, 0, 31, 10, 0, 5).getTime()]],
    ] as const)
      assert.deepEqual(testOf(query), { kind: 'numbers', ranges }, query);
  });

  it('reads names and texts, quoted where they hold what means something else', () => {
    for (const [query, expected] of [
      ['route:blog_*', { kind: 'starts', texts: ['blog_'] }],
      ['route:a,b', { kind: 'is', texts: ['a', 'b'] }],
      ['route:"a,b"', { kind: 'is', texts: ['a,b'] }],
      ['route:"*"', { kind: 'is', texts: ['*'] }],
      ['route:*log*', { kind: 'contains', texts: ['log'] }],
      ['route:*', { kind: 'missing' }],
      ['path:=/a', { kind: 'is', texts: ['/a'] }],
      ['error:"say \\"no\\""', { kind: 'contains', texts: ['say "no"'] }],
      ['http://localhost/a,b', { kind: 'contains', texts: ['http://localhost/a,b'] }],
      ['"a:b"', { kind: 'contains', texts: ['a:b'] }],
      ['has:n+1', { kind: 'numbers', ranges: [[1, null]] }],
    ] as const)
      assert.deepEqual(testOf(query), expected, query);
    assert.equal(parseQuery('-user:!reader').where[0]?.isNegated, false);
    assert.equal(parseQuery('-has:error').where[0]?.isNegated, false);
  });

  it('says what it does not understand, where it stands and what there is', () => {
    for (const [query, at, words] of [
      ['a staus:404', [2, 7], /Did you mean “status”\?/],
      ['a rout:b', [2, 6], /Did you mean “route”\?/],
      ['zzz:1', [0, 3], /There is no field “zzz”. Fields: status, method/],
      ['status:4o4', [7, 10], /Use a code \(404\)/],
      ['x duration:soon', [11, 15], /Use a duration \(200ms, 1.5s\)/],
      ['status:', [6, 7], /Use a code/],
      ['logs:1.5', [5, 8], /Use a number/],
      ['has:luck', [4, 8], /Use one of error, log.*n\+1/],
      ['has:error,log', [4, 13], /has:a has:b/],
      ['route:a*b', [6, 9], /Use a name/],
      ['route:a,b*', [6, 10], /Use a name/],
      ['after:2026-02-31T99:00', [6, 22], /Use a period/],
      ['a "never ends', [2, 13], /never end/],
      ['user:"never', [5, 11], /never end/],
    ] as const) {
      const { problems } = parseQuery(query, { now, collected });
      assert.equal(problems.length, 1, query);
      assert.deepEqual([problems[0]?.from, problems[0]?.to], at, query);
      assert.match(problems[0]?.words ?? '', words);
    }
    assert.match(parseQuery('a '.repeat(60)).problems[0]?.words ?? '', /at most 50 parts/);
    assert.match(parseQuery('a'.repeat(2001)).problems[0]?.words ?? '', /at most 2,000 characters/);
  });

  it('a value in a form needs no quotation marks', () => {
    const { where, problems } = parseFieldValue('error', '!not found', { now });
    assert.deepEqual([where, problems], [parseQuery('-error:"not found"').where, []]);
    assert.equal(parseFieldValue('status', '>=', { now }).problems.length, 1);
  });

  it('takes any text: each part is a condition or a problem, and places are within the text', () => {
    const piece = fc.oneof(
      fc.constantFrom(...queryFields(collected).map(({ example }) => example)),
      fc.constantFrom('-', ':', '"', '\\', ',', '*', 'status:', 'has:', '..', '>=', ' '),
      fc.string({ unit: anyCharacter, maxLength: 10 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.constantFrom('', ' '), (pieces, space) => {
        const text = pieces.join(space);
        const { where, terms, problems } = parseQuery(text, { now, collected });
        assert.equal(where.length + problems.length, terms.length);
        for (const { from, to } of [...terms, ...problems])
          assert.ok(from >= 0 && from < to && to <= text.length, text);
        let end = 0;
        for (const term of terms) {
          assert.equal(text.slice(end, term.from).trim(), '');
          end = term.to;
        }
        assert.equal(text.slice(end).trim(), '');
        assert.deepEqual(JSON.parse(JSON.stringify(where)), where);
      }),
    );
  });

  it('a formatted part means its value and nothing else', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 30 }), (value) => {
        const { where, problems } = parseQuery(`${formatTerm('user', value)} rest`);
        assert.deepEqual(problems, []);
        assert.deepEqual(where[0]?.test, { kind: 'is', texts: [value] });
        assert.equal(where.length, 2);
      }),
    );
  });

  it('every example is understood', () => {
    for (const { example } of queryFields(collected)) testOf(example);
  });
});
