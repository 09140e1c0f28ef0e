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

  it('has the earlier one first, the time difference, and which panels are the same', async () => {
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
    span .is-ok
      span aria-hidden=true: ✓
      | 200
      | OK
    a href=/_profiler/abc008 title=GET /: GET /
    | 5.00 ms
  | After ·
  time datetime=1970-01-01T12:34:57.000Z data-age: just now
  | ·
  | abc009
  h2
    span .is-ok
      span aria-hidden=true: ✓
      | 200
      | OK
    a href=/_profiler/abc009 title=GET /: GET /
    | 20.0 ms
section aria-label=Answer
  h1
    span .more-time: +15.0 ms
    span .muted: 4.0 times as long
  a href=/_profiler/abc009?panel=more: Time that no step accounts for makes up 100 % of the difference
h2: Differences in the request
span .muted: method, host and path are the same
p .muted: No recorded value differs.
h2: Time
span .muted: +15.0 ms, 4.0 times as long
div role=group aria-label=Time tabindex=0
  table
    caption: Time
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
    td .end: 20.0 ms
    td .minor
      svg aria-hidden=true
        rect y=7 width=25%
        rect y=16 width=100%
    td .end: +15.0 ms
| Same in both: Quiet
`,
    );
    const swapped = bodyOf(await showComparison(site, pageRequest('/'), ['abc008', 'abc009']));
    assert.equal(outlineOf(swapped), outlineOf(html));
  });

  it('of equally long requests says neither longer nor shorter', async () => {
    const same = siteOf([slow, { ...fast, durationMs: 20 }], { panels: [] });
    const html = bodyOf(await showComparison(same, pageRequest('/'), ['abc008', 'abc009']));
    assert.match(
      html,
      /<span class="more-time">\+0\.00 ms<\/span> <span class="muted ratio">as long as before</,
    );
  });

  it('begins with both outcomes, in the tone of the only failed one', async () => {
    const outcome = async (
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
      const html = bodyOf(await showComparison(both, pageRequest('/'), ['abc009', 'abc008']));
      const head = /<h1 class="outcome">[^]*?<\/h1>/.exec(html)?.[0] ?? '';
      const names = [...html.matchAll(/(Before|After|Worked|Failed) · /g)].map(([, name]) => name);
      return `${names.join(', ')}: ${head.replace(/<span class="(err|(?:less|more)-time)">/g, '$1 ').replace(/<[^>]+>/g, '')}`;
    };
    const response = plain.response === null ? null : { ...plain.response, status: 400 };
    assert.equal(await outcome({}, { durationMs: 1 }), 'Before, After: less-time −4.00 ms 5.0 times as fast');
    assert.equal(await outcome({}, { response }), 'Worked, Failed: 200 →then err 400');
    assert.equal(await outcome({ response }, {}), 'Failed, Worked: err 400 →then 200');
    assert.equal(await outcome({ response: null }, { response }), 'Before, After: no response →then 400');
    assert.equal(await outcome({}, { response: null }), 'Worked, Failed: 200 →then err no response');
  });

  it('folds the differences, and has no overview', async () => {
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
    assert.match(html, /<details class="section"><summary><h3>Own/);
    assert.doesNotMatch(html, /Overview|Same in both/);
    const markdown = await showComparison(own, pageRequest('/?format=md'), ['abc009', 'abc008']);
    assert.equal(markdown.headers.get('content-type'), 'text/markdown; charset=utf-8');
    assert.match(bodyOf(markdown), /^# Comparison/);
  });

  it('of two marked rows has its own URL, and fewer are not compared', async () => {
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

  it('with the last successful one uses the newest with the same route and method before it', async () => {
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
        origin: 'app',
        where: [
          { columns: ['route'], test: { kind: 'is', texts: ['home'] } },
          { columns: ['method'], test: { kind: 'is', texts: ['GET'] } },
          { columns: ['status'], test: { kind: 'numbers', ranges: [[100, 399]] } },
          { columns: ['state'], test: { kind: 'is', texts: ['complete'] } },
          { columns: ['errorClass'], test: { kind: 'missing' } },
          { columns: ['startedAt'], test: { kind: 'numbers', ranges: [[null, slow.startedAt]] } },
        ],
        limit: 2,
      },
    ]);
    const markdown = await showComparison(own, pageRequest('/?format=md'), ['abc009', 'last-good']);
    assert.match(bodyOf(markdown), /^# Comparison/);
    const alone = siteOf([{ ...slow, route: null }], { panels: [quiet] });
    assert.match(
      String(await outcomeOf(showComparison(alone, pageRequest('/'), ['abc009', 'last-good']))),
      /^404 never: No earlier request to this route succeeded\. No earlier GET request of “\/” in this store was/,
    );
  });
});
