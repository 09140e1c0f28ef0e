import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseQuery } from '../../search/parse-query.js';
import { ProfilerLinks } from '../site/links.js';
import { listQuery, parseListFilters, withTerms } from './list-filters.js';

/** Includes lone surrogates; generated faster than by the library's own unit. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const now = 3_700_000;
const collected = [{ column: 'db.queries', kind: 'count' }] as const;
const parse = (query: string): ReturnType<typeof parseListFilters> =>
  parseListFilters(new URLSearchParams(query), { now, collected });

describe('list filters', () => {
  it("become the store's query", () => {
    const parsed = parse(
      'method=post&status=!4xx&after=1h&own=1&limit=100&sort=-queries&page=ab~3&q=-/admin',
    );
    assert.deepEqual(parsed.problems, []);
    assert.deepEqual(listQuery(parsed), {
      origin: 'profiler',
      limit: 100,
      where: [
        ...parseQuery('-/admin').where,
        { columns: ['method'], test: { kind: 'is', texts: ['post'] }, isNegated: false },
        { columns: ['status'], test: { kind: 'numbers', ranges: [[400, 499]] }, isNegated: true },
        { columns: ['startedAt'], test: { kind: 'numbers', ranges: [[100_000, null]] }, isNegated: false },
      ],
      sort: { column: 'db.queries', isAscending: true },
      before: 'ab~3',
    });
    assert.equal(listQuery(parse('')).origin, 'app');
    assert.deepEqual(parse('sort=started').sort, { column: 'startedAt', isAscending: false });
  });

  it('that are invalid are reported and stay in the query; nothing is dropped', () => {
    for (const [query, name, words] of [
      ['status=4%200', 'q', /Use a code/],
      ['status=4x', 'q', /Use a code/],
      ['duration=fast', 'q', /Use a duration/],
      ['after=2y', 'q', /Use a period/],
      ['has=luck', 'q', /Use one of error, log/],
      ['sort=route', 'sort', /“route” is not applicable/],
      ['limit=0', 'limit', /from 1 to 500/],
      ['limit=501', 'limit', /from 1 to 500/],
      ['route=a*b', 'q', /beginning followed by \*/],
      ['page=../x', 'page', /cursor/],
      ['own=2', 'own', /Use the number 1/],
      [`user=${'x'.repeat(2001)}`, 'q', /at most 2,?000 characters/],
      [`q=staus:404`, 'q', /There is no field “staus”. Did you mean “status”/],
      ['staus=404', 'staus', /There is no filter “staus”/],
      ['__proto__=1', '__proto__', /There is no filter/],
      ['limit=9&limit=8', 'limit', /more than once/],
    ] as const) {
      const { problems } = parse(query);
      assert.equal(problems.length, 1, query);
      assert.equal(problems[0]?.name, name);
      assert.match(problems[0]?.words ?? '', words);
    }
    assert.equal(parse('status=>4&user=a+b').filters.q, 'status:>4 user:"a b"');
    assert.equal(parse(Array.from({ length: 99 }, (_, i) => `x${i}=1`).join('&')).problems.length, 20);
  });

  it('replace a term of the same field, on the first page', () => {
    const { q, page, own } = withTerms(parse('q=a+status:404+-status:5xx+user:b&page=x&own=1'), 'status:200');
    assert.deepEqual([q, page, own], ['a user:b status:200', '', '1']);
  });

  it('survive the conversion to a link and back', () => {
    const links = new ProfilerLinks('/_profiler');
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 50 }),
        fc.constantFrom('404', '!5xx', ''),
        (q, status) => {
          const { filters } = parse(new URLSearchParams({ q, status }).toString());
          const again = parse(new URL(links.list({ ...filters }), 'http://localhost').search);
          assert.deepEqual(again.filters, filters);
        },
      ),
    );
  });

  it('a link with any token stays below the prefix', () => {
    const links = new ProfilerLinks('/_profiler');
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom('..', '.', '//evil', '../x')),
        (token) => {
          for (const link of [links.record(token), links.data(token, 'json')]) {
            const url = new URL(link, 'http://localhost');
            assert.equal(url.origin, 'http://localhost');
            assert.match(url.pathname, /^\/_profiler\/[0-9a-z]+(?:\.json)?$/);
            assert.equal(url.search + url.hash, '');
          }
        },
      ),
    );
  });
});
