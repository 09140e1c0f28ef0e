import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createProfilerLinks } from './links.js';
import { parseListFilters } from './list-filters.js';
import { listQuery } from './list-query.js';

const parse = (query: string): ReturnType<typeof parseListFilters> =>
  parseListFilters(new URLSearchParams(query));

describe('filters of the list', () => {
  it('become the query of the store; what makes no sense is left out', () => {
    assert.deepEqual(
      listQuery(
        parse('method=post&status=!4xx&url=!/admin&route=home&ip=127&within=1h&thrown=1&limit=100'),
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
    assert.deepEqual(listQuery(parse('status=40&limit=99999&within=2y&method=%0a&before=../x'), 0), {
      bucket: 'app',
      limit: 50,
    });
    assert.equal(listQuery(parse('own=1'), 0).bucket, 'profiler');
  });

  it('survive the way into a link and back', () => {
    const { list } = createProfilerLinks('/_profiler');
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 50 }),
        fc.constantFrom('404', '!5xx', ''),
        (url, status) => {
          const filters = parseListFilters(new URLSearchParams({ url, status }));
          const again = parseListFilters(new URL(list({ ...filters }), 'http://localhost').searchParams);
          assert.deepEqual(again, filters);
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
