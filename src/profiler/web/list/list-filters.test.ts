import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createProfilerLinks } from '../site/links.js';
import { parseListFilters } from './list-filters.js';
import { listQuery } from './list-query.js';

const parse = (query: string): ReturnType<typeof parseListFilters> =>
  parseListFilters(new URLSearchParams(query));
const queryOf = (query: string, now: number): ReturnType<typeof listQuery> => {
  const { filters, problems } = parse(query);
  assert.deepEqual(problems, []);
  return listQuery(filters, now);
};

describe('filters of the list', () => {
  it('become the query of the store', () => {
    assert.deepEqual(
      queryOf(
        'method=post&status=!4xx&url=!/admin&route=home&ip=127&within=1h&thrown=1&limit=100',
        3_700_000,
      ),
      {
        bucket: 'app',
        limit: 100,
        method: 'POST',
        status: '!4xx',
        url: '!/admin',
        route: 'home',
        ip: '127',
        exception: true,
        start: 100_000,
      },
    );
    assert.equal(queryOf('own=1', 0).bucket, 'profiler');
    assert.equal(queryOf('within=90s&limit=7&route=failure_*&status=0', 100_000).start, 10_000);
  });

  it('what makes no sense is said and stays in its field; nothing is dropped', () => {
    for (const [query, name, words] of [
      ['status=>400', 'status', /“>400” is not applicable. Use a code/],
      ['status=40', 'status', /not applicable/],
      ['within=2y', 'within', /a period such as 5m/],
      ['limit=0', 'limit', /from 1 to 500/],
      ['limit=501', 'limit', /from 1 to 500/],
      ['method=a%0ab', 'method', /a method such as/],
      ['route=a*b', 'route', /only at the end/],
      ['before=../x', 'before', /cursor/],
      ['thrown=yes', 'thrown', /Use 1/],
      ['own=2', 'own', /Use 1/],
      [`url=${'x'.repeat(301)}`, 'url', /Longer than 300/],
      ['staus=404', 'staus', /There is no filter “staus”/],
      ['__proto__=1', '__proto__', /There is no filter/],
      ['status=404&status=500', 'status', /more than once/],
    ] as const) {
      const { problems } = parse(query);
      assert.equal(problems.length, 1, query);
      assert.equal(problems[0]?.name, name);
      assert.match(problems[0]?.words ?? '', words);
    }
    assert.equal(parse('status=>400').filters.status, '>400');
    assert.equal(parse(Array.from({ length: 99 }, (_, i) => `x${i}=1`).join('&')).problems.length, 20);
  });

  it('survive the way into a link and back', () => {
    const { list } = createProfilerLinks('/_profiler');
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 50 }),
        fc.constantFrom('404', '!5xx', ''),
        (url, status) => {
          const { filters } = parseListFilters(new URLSearchParams({ url, status }));
          const again = parseListFilters(new URL(list({ ...filters }), 'http://localhost').searchParams);
          assert.deepEqual(again.filters, filters);
        },
      ),
    );
  });

  it('a link of any token stays below the prefix', () => {
    const { record, data } = createProfilerLinks('/_profiler');
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('..', '.', '//evil', '../x')),
        (token) => {
          for (const link of [record(token), data(token, 'json')]) {
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
