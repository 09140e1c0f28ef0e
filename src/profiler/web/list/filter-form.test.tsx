import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderFragment } from '#html';
import { createProfilerLinks } from '../site/links.js';
import { ActiveFilters } from './filter-form.js';
import { parseListFilters } from './list-filters.js';

describe('filters that are on', () => {
  const links = createProfilerLinks('/_profiler');
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

  it('are each taken away by their own link, and nothing else with them', () => {
    const chips = chipsOf('status=5xx&page=abc&q=route%3Aa+error%3A%22two++spaces%22+-x');
    assert.deepEqual(
      chips.map(({ words }) => words),
      ['status: 5xx', 'route:a', 'error:"two  spaces"', '-x'],
    );
    assert.deepEqual(
      chips.map(({ href }) => queryOf(href)),
      [
        { q: 'route:a error:"two  spaces" -x' },
        { status: '5xx', q: 'error:"two  spaces" -x' },
        { status: '5xx', q: 'route:a -x' },
        { status: '5xx', q: 'route:a error:"two  spaces"' },
      ],
    );
    assert.deepEqual(chipsOf('limit=50'), []);
  });
});
