import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderFragment } from '#core/html';
import { ProfilerLinks } from '../site/links.js';
import { ActiveFilters, FilterForm } from './filter-form.js';
import { parseListFilters } from './list-filters.js';

describe('active filters', () => {
  const links = new ProfilerLinks('/_profiler');
  const chipsOf = (query: string): { words: string; href: string }[] => {
    const parsed = parseListFilters(new URLSearchParams(query), { now: 0, collected: [] });
    const html = String(renderFragment(<>{ActiveFilters({ parsed, links })}</>));
    return [...html.matchAll(/class="mono">([^<]*)<\/span><a href="([^"]*)"/g)].map(
      ([, words = '', href = '']) => ({
        words: words.replaceAll('&quot;', '"'),
        href: href.replaceAll('&amp;', '&'),
      }),
    );
  };
  const queryOf = (href: string): Record<string, string> =>
    Object.fromEntries(new URL(href, 'http://a.test').searchParams);

  it('are each removed by their own link, without affecting others', () => {
    const chips = chipsOf('status=5xx&user=!no+one&page=abc&q=route%3Aa+error%3A%22two++spaces%22+-x');
    assert.deepEqual(
      chips.map(({ words }) => words),
      ['route:a', 'error:"two  spaces"', '-x', 'status:5xx', '-user:"no one"'],
    );
    assert.deepEqual(
      chips.map(({ href }) => queryOf(href)),
      [
        { q: 'error:"two  spaces" -x status:5xx -user:"no one"' },
        { q: 'route:a -x status:5xx -user:"no one"' },
        { q: 'route:a error:"two  spaces" status:5xx -user:"no one"' },
        { q: 'route:a error:"two  spaces" -x -user:"no one"' },
        { q: 'route:a error:"two  spaces" -x status:5xx' },
      ],
    );
    assert.deepEqual(chipsOf('limit=50'), []);
  });
});

describe('the filter form', () => {
  it('has six fields, and says that the search accepts the others', () => {
    const collected = [{ column: 'db.queries', kind: 'count' }] as const;
    const parsed = parseListFilters(new URLSearchParams('queries=>5'), { now: 0, collected });
    const html = String(
      renderFragment(<FilterForm parsed={parsed} links={new ProfilerLinks('/_profiler')} />),
    );
    const names = [...html.matchAll(/<label>[^<]*<(?:input|select) name="([\w.-]+)"/g)].map(
      ([, name]) => name,
    );
    assert.deepEqual(names, ['status', 'method', 'path', 'route', 'duration', 'after']);
    assert.match(html, /<option value="5xx">/);
    assert.match(html, /every other field too, such as <code>queries:>10<\/code>/);
  });
});
