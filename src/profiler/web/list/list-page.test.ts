import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bodyOf } from '../../../../test/profiler/open-page.js';
import { outcomeOf, outlineOf, pageRequest, siteOf } from '../../../../test/profiler/page-outline.js';
import { plain } from '../../../../test/profiler/plain-record.js';
import { createSampleReader } from '../../../../test/profiler/sample-reader.js';
import type { ProfileQuery, TotalsQuery } from '../../model/profile-query.js';
import { type ProfileSummary, summaryOf } from '../../model/profile-summary.js';
import type { ProfileReader, ProfilerSite } from '../site/profiler-site.js';
import { showList } from './list-page.js';

const row = summaryOf(plain, {});

interface Given {
  readonly next?: string;
  readonly complete?: boolean;
  /** How many requests there are, and how many are failed and slow. */
  readonly counts?: readonly [all: number, failed: number, slow: number];
  readonly more?: Partial<ProfilerSite>;
}

/** Renders a list of these rows; returns it with the queries made. */
async function listOf(
  rows: readonly ProfileSummary[],
  target = '/',
  { next, complete = true, counts, more = {} }: Given = {},
): Promise<{
  readonly html: string;
  readonly status: number;
  readonly asked: readonly ProfileQuery[];
  readonly counted: readonly TotalsQuery[];
}> {
  const asked: ProfileQuery[] = [];
  const counted: TotalsQuery[] = [];
  const reader: ProfileReader = {
    ...createSampleReader([plain]),
    list: async (query = {}) => {
      asked.push(query);
      return { rows, next: next ?? null, complete };
    },
    totals: async (query = {}) => {
      counted.push(query);
      const [all, failed, slow] = counts ?? [rows.length, 0, 0];
      const isSlow = counted.length === 2;
      const group = {
        values: [],
        count: isSlow ? slow : all,
        failed,
        firstAt: 0,
        lastAt: 0,
        durations: [],
        lastToken: '',
      };
      const steps =
        query.steps === undefined ? [] : Array.from({ length: query.steps.count }, () => [1, 0] as const);
      return { groups: [{ ...group, steps }], complete };
    },
  };
  const answer = await showList(siteOf([plain], { reader, ...more }), pageRequest(target));
  return { html: bodyOf(answer), status: answer.status, asked, counted };
}

const tableOf = (html: string): string =>
  outlineOf(/<table class="requests"[^]*?<\/table>/.exec(html)?.[0] ?? '');
const rowOf = (html: string): string => outlineOf(/<tbody id="rows"[^]*?<\/tbody>/.exec(html)?.[0] ?? '');
const titleLine = (html: string): string =>
  outlineOf(
    (
      /<div class="title-line">[^]*?(?=<form id="compare"|<p class="empty"|<div class="note)/.exec(
        html,
      )?.[0] ?? ''
    ).replace(/<(details|figure)[^]*?<\/\1>/g, ''),
  );
const pagerOf = (html: string): string => outlineOf(/<nav class="pager"[^]*?<\/nav>/.exec(html)?.[0] ?? '');

describe('the request table', () => {
  it('has a row per request, with links to its record and to others with its status and user, and sortable headers', async () => {
    const rows: readonly ProfileSummary[] = [
      { ...row, user: 'ada', durationMs: 12, breakdown: { ...row.breakdown, app: 12, unaccounted: 0 } },
      {
        ...row,
        token: 'abc001',
        status: 404,
        url: 'http://a.test/articles/how-to-cook-soup?page=2',
        durationMs: 1,
        findings: [{ kind: 'refused', level: 'info', text: 'No route matches' }],
      },
    ];
    assert.equal(
      tableOf((await listOf(rows)).html),
      `
table
  caption: Requests. Their bars share one axis, 0 to 25 ms; a torn end means longer.
  th scope=col
    a href=/_profiler/?sort=status: Status
  th scope=col: Method
  th scope=col: Request
  th scope=col: User
  th scope=col
    | Where the time went
    svg aria-hidden=true width=100% height=16
      text x=0% y=12: 0
      text x=20% y=12: 5
      text x=40% y=12: 10
      text x=60% y=12: 15
      text x=80% y=12: 20
      text x=100% y=12 text-anchor=end: 25 ms
  th scope=col
    a href=/_profiler/?sort=duration: Time
  th scope=col
    a href=/_profiler/?sort=started: Age
  th scope=col: Token
  tbody id=rows tabindex=-1
    input type=checkbox name=t value=abcdef aria-label=Compare abcdef
    a .is-ok href=?q=status:200: 200
    | GET
    a href=abcdef data-row: /
    a href=?q=user:ada: ada
    svg role=img
      title: your code 12.0 ms
      rect width=48%
    | 12.0 ms
    time datetime=1970-01-01T00:00:01Z: 59 s
    | abcdef
    input type=checkbox name=t value=abc001 aria-label=Compare abc001
    a .is-warn href=?q=status:404 title=Not Found: 404
    | GET
    a href=abc001 data-row title=/articles/how-to-cook-soup?page=2
      | /articles/how
      | -to-cook-soup
      span .query: ?page=2
    svg role=img
      title: not accounted for 200 ms
      rect width=100%
    svg width=4%
    | No route matches
    | 1.00 ms
    time datetime=1970-01-01T00:00:01Z: 59 s
    | abc001
`,
    );
  });

  it('shows its order in the headers, and what a click changes it to', async () => {
    const heads = async (sort: string): Promise<readonly string[]> =>
      [
        ...(await listOf([row], `/?sort=${sort}`)).html.matchAll(
          /<th scope="col" class="(?:st|ms)"( aria-sort="\w+")?><a href="([^"]*)">([^<]*)(?:<span aria-hidden="true">(..?)<\/span>)?/g,
        ),
      ].map(([, order = '', href = '', words = '', sign = '']) => `${words}${sign}${order} ${href}`);
    assert.deepEqual(await heads('status'), [
      'Status ↓ aria-sort="descending" /_profiler/?sort=-status',
      'Time /_profiler/?sort=duration',
    ]);
    assert.deepEqual(await heads('-duration'), [
      'Status /_profiler/?sort=status',
      'Time ↑ aria-sort="ascending" /_profiler/',
    ]);
  });

  it('has the worst finding after the bar if there is room, otherwise on a plate on it, and shows a torn edge', async () => {
    const problem = (durationMs: number, warnings = 1): ProfileSummary => ({
      ...row,
      durationMs,
      breakdown: { ...row.breakdown, app: durationMs, unaccounted: 0 },
      logs: 5,
      warnings,
    });
    const quick = Array.from({ length: 40 }, () => ({ ...row, durationMs: 100 }));
    const lanes = async (durationMs: number): Promise<string> =>
      outlineOf(
        /<td class="ch">([^]*?)<\/td>/.exec((await listOf([problem(durationMs), ...quick])).html)?.[0] ?? '',
      );
    assert.equal(
      await lanes(10),
      `
svg role=img
  title: your code 10.0 ms
  rect width=10%
svg width=10%
span .warn: 1 log warning
`,
    );
    assert.equal(
      await lanes(82),
      `
svg role=img
  title: your code 82.0 ms
  rect width=82%
svg width=82%
svg width=32.8%
span .warn .plate: 1 log warning
svg width=18%
`,
    );
    assert.equal(
      await lanes(100),
      `
svg role=img
  title: your code 100 ms
  rect width=100%
svg width=40%
span .warn .plate: Your code took 100 ms
svg width=0%
`,
    );
    assert.equal(
      await lanes(1000),
      `
svg role=img
  title: your code 1.00 s
  rect width=100%
  svg x=100%
    path d=M-9-1l5 5.5-5 5.5 5 5.5-5 5.5h14v-22z
svg width=40%
span .warn .plate: Your code took 1.00 s
svg width=2%
`,
    );
  });

  it('cuts a long path in the middle and shows all of it as a title', async () => {
    const linkOf = async (url: string): Promise<string> =>
      /<a [^>]*data-row[^]*?<\/a>/
        .exec((await listOf([{ ...row, url }])).html)?.[0]
        .replace(/.*data-row="?"?/, '') ?? '';
    const paths: string[] = [];
    for (const path of [
      '/short',
      '/abcdefghijkl/abcdefghijk',
      '/abcdefghijkl/abcdefghij',
      `/${'x'.repeat(30)}`,
      '/aaaaaaaaaaaaa/bbbbbbbbbbbbbb?q=1',
      '/s?query-that-is-quite-long-in-total',
    ])
      paths.push(await linkOf(`http://a.test${path}`));
    assert.equal(
      `\n${paths.join('\n')}\n`,
      `
<a href="abcdef" data-row>/short</a>
<a href="abcdef" data-row title="/abcdefghijkl/abcdefghijk"><span>/abcdefghijkl</span><span>/abcdefghijk</span></a>
<a href="abcdef" data-row>/abcdefghijkl/abcdefghij</a>
<a href="abcdef" data-row title="/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx">/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx</a>
<a href="abcdef" data-row title="/aaaaaaaaaaaaa/bbbbbbbbbbbbbb?q=1"><span>/aaaaaaaaaaaaa</span><span>/bbbbbbbbbbbbbb<span class="query">?q=1</span></span></a>
<a href="abcdef" data-row title="/s?query-that-is-quite-long-in-total">/s<span class="query">?query-that-is-quite-long-in-total</span></a>
`,
    );
  });

  it("shows a pin's note, cut at 40 characters", async () => {
    const pinOf = async (note: string): Promise<string | undefined> =>
      /<span class="pinned">([^<]*)/.exec((await listOf([{ ...row, mark: { note } }])).html)?.[1];
    assert.deepEqual(
      [await pinOf(''), await pinOf('n'.repeat(40)), await pinOf('n'.repeat(41))],
      ['pinned', 'n'.repeat(40), `${'n'.repeat(40)}…`],
    );
  });

  it('folds asset requests into a line that shows each of them', async () => {
    const asset = { ...row, url: 'http://a.test/site.css', path: '/site.css', route: null };
    assert.equal(
      rowOf((await listOf([asset, asset, asset, asset], '/?own=1')).html),
      `
tbody id=rows tabindex=-1
  a .query href=/_profiler/?own=1&amp;assets=1: 4 assets
`,
    );
  });
});

describe('the request list', () => {
  it('has its count, failed and slow ones as filters, and pages', async () => {
    const { html, asked, counted } = await listOf([row], '/', { next: 'c1', counts: [1234, 5, 2] });
    assert.equal(
      titleLine(html),
      `
h1: Requests
| 1,234
a .opt href=/_profiler/?q=status:%3E%3D500
  span .err: 5 failed
a .opt href=/_profiler/?q=has:slow
  span .warn: 2 slow
span hidden data-live=live?q=&amp;sort=&amp;own=&amp;assets=&amp;limit=&amp;page=&amp;axis=250 data-position=1
  button type=button data-key=f aria-pressed=false: Live
  output
ul aria-label=Colours of the bars
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | framework
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | your code
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | database
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | outgoing
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | rendering
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | lookback
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | waiting
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | the machine was busy
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | not accounted for
`,
    );
    assert.equal(
      pagerOf(html),
      `
nav aria-label=Pages of the list
  a rel=next href=/_profiler/?page=c1: Older requests
  button type=submit form=compare: Compare selected
  a href=/_profiler/?own=1: Requests of the profiler
  form method=post action=/_profiler/app/purge
    button type=submit: Delete all records…
`,
    );
    assert.deepEqual(asked, [{ origin: 'app', where: [], limit: 50 }]);
    assert.deepEqual(counted[0], { origin: 'app', where: [], isCountOnly: true });
    assert.deepEqual(counted[1]?.where?.length, 1);
    assert.deepEqual([counted[2]?.steps?.count, counted[2]?.isCountOnly], [30, true]);
    assert.match(
      html,
      /<span hidden data-live="live\?q=&amp;sort=&amp;own=&amp;assets=&amp;limit=&amp;page=&amp;axis=250" data-position="1">/,
    );
  });

  it('has its filters as chips that remove them, and is not followed if filtered and sorted', async () => {
    const target = '/?q=status:>%3D500+route:home&sort=-status&own=1&assets=1&page=c0&limit=10';
    const { html } = await listOf([row], target, { next: 'c1', counts: [20, 20, 1], complete: false });
    assert.equal(
      titleLine(html),
      `
h1: Profiler requests
| 20 or more, by status, smallest first
a .opt href=/_profiler/?q=status:%3E%3D500+route:home+has:slow&amp;sort=-status&amp;own=1&amp;assets=1&amp;limit=10
  span .warn: 1 slow
ul aria-label=Active filters
  | status:>=500
  a href=/_profiler/?q=route:home&amp;sort=-status&amp;own=1&amp;assets=1&amp;limit=10 aria-label=Remove the filter status:>=500: ×
  | route:home
  a href=/_profiler/?q=status:%3E%3D500&amp;sort=-status&amp;own=1&amp;assets=1&amp;limit=10 aria-label=Remove the filter route:home: ×
span .warn: The search stopped early: older requests may match too.
ul aria-label=Colours of the bars
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | framework
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | your code
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | database
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | outgoing
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | rendering
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | lookback
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | waiting
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | the machine was busy
  svg width=10 height=10 aria-hidden=true
    rect width=10 height=10 rx=2
  | not accounted for
`,
    );
    assert.equal(
      pagerOf(html),
      `
nav aria-label=Pages of the list
  a rel=next href=/_profiler/?q=status:%3E%3D500+route:home&amp;sort=-status&amp;own=1&amp;assets=1&amp;limit=10&amp;page=c1: Next page
  a href=/_profiler/?q=status:%3E%3D500+route:home&amp;sort=-status&amp;own=1&amp;assets=1&amp;limit=10: First page
  a href=/_profiler/?q=status:%3E%3D500+route:home&amp;sort=-status&amp;own=1&amp;limit=10&amp;page=c0: Fold assets
  button type=submit form=compare: Compare selected
  a href=/_profiler/: Requests of the application
  form method=post action=/_profiler/profiler/purge
    button type=submit: Delete all records…
`,
    );
    assert.doesNotMatch(html, /<span hidden data-live/);
    assert.match(html, /<title>Requests: status:&gt;=500 route:home/);
  });

  it('says that it has no rows, and offers all requests if a filter is set', async () => {
    const emptyOf = async (target: string): Promise<string> =>
      outlineOf(/<p class="empty">[^]*?<\/p>/.exec((await listOf([], target)).html)?.[0] ?? '');
    assert.equal(await emptyOf('/'), '\n| No request matches.\n');
    assert.equal(await emptyOf('/?own=1&assets=1'), '\n| No request matches.\n');
    assert.equal(
      await emptyOf('/?own=1&q=x'),
      '\n| No request matches.\na href=/_profiler/?own=1: Show all requests\n',
    );
    assert.match((await listOf([], '/')).html, /<span class="total">none</);
  });

  it('responds with 400 to an invalid filter, queries nothing, and marks the invalid parts', async () => {
    const { html, status, asked, counted } = await listOf(
      [row],
      '/?q=status:200+statsu:5+other+statu:6&limit=0',
    );
    assert.deepEqual([status, asked.length, counted.length], [400, 0, 0]);
    assert.equal(
      outlineOf(/<div class="note note-error"[^]*?<\/ul><\/div>/.exec(html)?.[0] ?? ''),
      `
div role=alert
  | The search was not run: 3 filters cannot be applied.
  a href=/_profiler/: Show all requests
  | status:200
  mark: statsu
  | :5 other
  mark: statu
  | :6
  | limit
  | : “0” is not applicable. Use a number from 1 to 500.
  | There is no field “statsu”. Did you mean “status”?
  | There is no field “statu”. Did you mean “status”?
`,
    );
    assert.match(html, /<span class="total">not searched</);
    assert.match(
      html,
      /<input name="q" type="search" value="status:200 statsu:5 other statu:6" list="query-parts" aria-invalid="true"/,
    );
  });

  it('has a form with six fields, which keeps the order and the view', async () => {
    const formOf = (html: string): string =>
      outlineOf(/<details class="drop filter-fold">[^]*?<\/details>/.exec(html)?.[0] ?? '');
    const { html } = await listOf([row], '/?q=a&sort=status&limit=7');
    assert.equal(
      formOf(html),
      `
details
  summary: + Filter
  form method=get action=/_profiler/ aria-label=Filters autocomplete=off spellcheck=false
    label
      | Search
      input name=q type=search value=a list=query-parts
    button type=submit: Filter
    a href=/_profiler/: Reset
    label
      | Status
      select name=status
        option value: any
        option value=5xx: 5xx, failed
        option value=4xx: 4xx, refused
        option value=3xx: 3xx, redirected
        option value=2xx: 2xx, succeeded
    label
      | Method
      select name=method
        option value: any
        option value=GET: GET
        option value=POST: POST
        option value=PUT: PUT
        option value=PATCH: PATCH
        option value=DELETE: DELETE
    label
      | Path
      input name=path type=text placeholder=/api*
    label
      | Route
      input name=route type=text placeholder=blog_*
    label
      | Took
      input name=duration type=text placeholder=>200ms
    label
      | Not older than
      input name=after type=text placeholder=10m
    | The search accepts every other field too, such as
    | has:error
    | : it suggests them.
    input type=hidden name=sort value=status
    input type=hidden name=limit value=7
`,
    );
  });

  it('suggests at most twelve values from its rows, then an example for each field and keyword', async () => {
    const rows = Array.from({ length: 20 }, (_, at) => ({
      ...row,
      status: 200,
      route: `r${at}`,
      user: null,
    }));
    const { html } = await listOf([
      { ...row, status: 400, route: null, user: 'a b' },
      ...rows,
      { ...row, status: 399 },
    ]);
    const values = [
      ...(/<datalist[^>]*>([^]*?)<\/datalist>/.exec(html)?.[1]?.matchAll(/value="([^"]*)"/g) ?? []),
    ].map(([, value]) => value);
    assert.deepEqual(values.slice(0, 13), [
      'status:400',
      'user:&quot;a b&quot;',
      ...Array.from({ length: 10 }, (_, at) => `route:r${at}`),
      'status:>=500',
    ]);
    assert.ok(values.includes('has:slow'));
    assert.equal(new Set(values).size, values.length);
  });

  it('redirects to the record if a token is searched for, if it exists', async () => {
    const site = siteOf([plain]);
    assert.equal(await outcomeOf(showList(site, pageRequest('/?q=+abcdef+'))), '/_profiler/abcdef');
    assert.equal(await outcomeOf(showList(site, pageRequest('/?q=abcde0'))), 200);
  });

  it("has the store's state below it, if known", async () => {
    assert.match(
      (await listOf([row])).html,
      /<summary>State of the profiler <span class="muted">sqlite:\/srv\/app\/var\/profiler\.db<\/span><\/summary>/,
    );
    const { state: _, counters: _too, ...reader } = createSampleReader([plain]);
    assert.doesNotMatch(
      bodyOf(await showList(siteOf([plain], { reader }), pageRequest('/'))),
      /State of the profiler/,
    );
  });
});
