import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bodyOf } from '../../../../test/profiler/open-page.js';
import { outcomeOf, outlineOf, pageRequest, siteOf } from '../../../../test/profiler/page-outline.js';
import { plain } from '../../../../test/profiler/plain-record.js';
import { createSampleReader } from '../../../../test/profiler/sample-reader.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Panel } from '../../sections/panel.js';
import { showComparison } from './show-comparison.js';

const quiet: Panel = { id: 'quiet', title: 'Quiet', badge: () => 'plain', show: () => [] };
const route = { name: 'home', path: '/', parameters: [], trace: null, allow: [] };

describe('the comparison of two records', () => {
  const slow: ProfileRecord = { ...plain, startedAt: 45_297_000, durationMs: 20, token: 'abc009', route };
  const fast: ProfileRecord = { ...plain, startedAt: 45_295_000, durationMs: 5, token: 'abc008', route };
  const site = siteOf([slow, fast], { panels: [quiet] });

  it('has the earlier one first, how the time differs, and which panels are the same', async () => {
    const html = bodyOf(await showComparison(site, pageRequest('/'), ['abc009', 'abc008']));
    assert.equal(
      outlineOf(html),
      `
section aria-label=The two records
  | Before ·
  time datetime=1970-01-01T12:34:55.000Z data-age: just now
  | ·
  | abc008
  h2
    | 5.00 ms
    span .is-ok
      span aria-hidden=true: ✓
      | 200 OK
    a href=/_profiler/abc008 title=GET /: GET /
  | After ·
  time datetime=1970-01-01T12:34:57.000Z data-age: just now
  | ·
  | abc009
  h2
    | 20.0 ms
    span .is-ok
      span aria-hidden=true: ✓
      | 200 OK
    a href=/_profiler/abc009 title=GET /: GET /
h1: Two requests compared
section aria-label=Answer
  span .more-time
    | +15.0
    small: ms
  span .muted: 4.0 times as long
  a href=/_profiler/abc009?panel=more: Time that no step accounts for makes up 100 % of the difference
h2: Where the difference is
span .muted: largest first
div role=group aria-label=Where the difference is tabindex=0
  table
    caption: Where the difference is
    th scope=col: Part
    th scope=col .end: Before
    th scope=col .end: After
    th scope=col .minor: Change
    th scope=col .end: Difference
    svg width=10 height=10 aria-hidden=true
      rect width=10 height=10 rx=2
    | not accounted for
    td .end
      span .muted: 5.00 ms
    td .end
      span .muted: 20.0 ms
    td .minor
      svg aria-hidden=true
        rect width=25%
        rect x=25% width=75%
    td .end: +15.0 ms
| Same in both: Quiet
`,
    );
    const swapped = bodyOf(await showComparison(site, pageRequest('/'), ['abc008', 'abc009']));
    assert.equal(outlineOf(swapped), outlineOf(html));
  });

  it('of the same time is no longer and no shorter', async () => {
    const same = siteOf([slow, { ...fast, durationMs: 20 }], { panels: [] });
    const html = bodyOf(await showComparison(same, pageRequest('/'), ['abc008', 'abc009']));
    assert.match(
      html,
      /<span class="more-time">\+0\.00<small>ms<\/small><\/span> <span class="muted">as long as before</,
    );
  });

  it('says neither better nor worse of a time where one alone failed', async () => {
    const lookOf = async (
      before: Partial<ProfileRecord>,
      after: Partial<ProfileRecord>,
    ): Promise<string | undefined> => {
      const both = siteOf(
        [
          { ...slow, ...after },
          { ...fast, ...before },
        ],
        { panels: [] },
      );
      return /<p class="figure"><span( class="[a-z-]*")?>/.exec(
        bodyOf(await showComparison(both, pageRequest('/'), ['abc008', 'abc009'])),
      )?.[1];
    };
    const response = plain.response === null ? null : { ...plain.response, status: 400 };
    assert.equal(await lookOf({}, {}), ' class="more-time"');
    assert.equal(await lookOf({}, { durationMs: 1 }), ' class="less-time"');
    assert.equal(await lookOf({ response }, { response: null }), ' class="more-time"');
    assert.equal(await lookOf({ response }, {}), undefined);
    assert.equal(await lookOf({}, { response: null }), undefined);
  });

  it('folds what differs, counts it, and has no overview', async () => {
    const differing: Panel = {
      ...quiet,
      id: 'own',
      title: 'Own',
      show: ({ token }) => [{ kind: 'note', text: token, tone: 'neutral' }],
    };
    const own = siteOf([slow, fast], {
      panels: [differing, { ...differing, id: 'overview', title: 'Overview' }],
    });
    const html = bodyOf(await showComparison(own, pageRequest('/'), ['abc009', 'abc008']));
    assert.match(html, /What else differs/);
    assert.match(html, /<span class="muted">1 panel<\/span>/);
    assert.match(html, /<details class="section"><summary><h3>Own/);
    assert.doesNotMatch(html, /Overview|Same in both/);
    const markdown = await showComparison(own, pageRequest('/?format=md'), ['abc009', 'abc008']);
    assert.equal(markdown.headers.get('content-type'), 'text/markdown; charset=utf-8');
    assert.match(bodyOf(markdown), /^# Comparison/);
  });

  it('of two marked rows is at an address of its own, and fewer are not compared', async () => {
    assert.equal(
      await outcomeOf(showComparison(site, pageRequest('/?t=abc009&t=abc008'), [])),
      '/_profiler/compare/abc009/abc008',
    );
    for (const target of ['/', '/?t=abc009'])
      assert.match(
        String(await outcomeOf(showComparison(site, pageRequest(target), []))),
        /^404 malformed: Select two requests/,
      );
  });

  it('with the last good one is with the newest other record of the same route and method that went well', async () => {
    const asked: unknown[] = [];
    const reader = createSampleReader([slow, fast]);
    const list: typeof reader.list = (given) => {
      asked.push(given);
      return reader.list({});
    };
    const own = siteOf([slow, fast], { panels: [quiet], reader: { ...reader, list } });
    const outcome = await outcomeOf(showComparison(own, pageRequest('/'), ['abc009', 'last-good']));
    assert.equal(outcome, '/_profiler/compare/abc009/abc008');
    assert.deepEqual(asked, [
      {
        where: [
          { columns: ['route'], test: { kind: 'is', texts: ['home'] } },
          { columns: ['method'], test: { kind: 'is', texts: ['GET'] } },
          { columns: ['status'], test: { kind: 'numbers', ranges: [[100, 399]] } },
          { columns: ['errorClass'], test: { kind: 'missing' } },
        ],
        limit: 2,
      },
    ]);
    const markdown = await showComparison(own, pageRequest('/?format=md'), ['abc009', 'last-good']);
    assert.match(bodyOf(markdown), /^# Comparison/);
    const alone = siteOf([{ ...slow, route: null }], { panels: [quiet] });
    assert.match(
      String(await outcomeOf(showComparison(alone, pageRequest('/'), ['abc009', 'last-good']))),
      /^404 never: No other request of this route succeeded\. No other record of the route “–” was/,
    );
  });
});
