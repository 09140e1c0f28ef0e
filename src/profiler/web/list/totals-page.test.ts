import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bodyOf } from '../../../../test/profiler/open-page.js';
import { outlineOf, siteOf } from '../../../../test/profiler/page-outline.js';
import { plain } from '../../../../test/profiler/plain-record.js';
import { createSampleReader } from '../../../../test/profiler/sample-reader.js';
import type { ProfileTotals, TotalsQuery } from '../../model/profile-query.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { countErrors, showErrors, showRoutes } from './totals-page.js';

type Group = ProfileTotals['groups'][number];

function group(changes: Partial<Group>): Group {
  return {
    values: [null],
    count: 1,
    failed: 0,
    firstAt: 1000,
    lastAt: 55_000,
    durations: [[10, 1]],
    steps: [],
    lastToken: 'abcdef',
    ...changes,
  };
}

/** A site with these totals, and the queries made for them. */
function siteWith(
  groups: readonly Group[],
  complete = true,
): { readonly site: ProfilerSite; readonly asked: TotalsQuery[] } {
  const asked: TotalsQuery[] = [];
  const reader = {
    ...createSampleReader([plain]),
    totals: async (query: TotalsQuery = {}) => {
      asked.push(query);
      return { groups, complete };
    },
  };
  return { site: siteOf([plain], { reader, now: () => 3_600_000 }), asked };
}

describe('the routes page', () => {
  it('has a row per route, slowest first: counts, quantiles on one axis, and the last ten minutes', async () => {
    const steps = Array.from({ length: 10 }, (_, at) => [at === 0 ? 0 : at, at === 9 ? 3 : 0] as const);
    const { site, asked } = siteWith([
      group({
        values: ['shop_list.all'],
        count: 1200,
        failed: 3,
        durations: [
          [4, 900],
          [80, 290],
          [900, 10],
        ],
        steps,
      }),
      group({ values: [null], durations: [[20, 1]] }),
    ]);
    assert.equal(
      outlineOf(bodyOf(await showRoutes(site))),
      `
h1: Routes
| 2
table
  caption: Routes. The mark is the median, the bar ends at the 95th percentile, on one axis from 0 to 100 ms. Both need five requests; with fewer, the bar ends at the slowest.
  th scope=col: Route
  th scope=col .end: Requests
  th scope=col .end: Failed
  th scope=col
    | Median and 95th percentile
    svg aria-hidden=true width=100% height=16
      text x=0% y=12: 0
      text x=20% y=12: 20
      text x=40% y=12: 40
      text x=60% y=12: 60
      text x=80% y=12: 80
      text x=100% y=12 text-anchor=end: 100 ms
  th scope=col .end: p50
  th scope=col .end: p95
  th scope=col .end: Slowest
  th scope=col .end: Last 10 min
  a href=/_profiler/?q=route:shop_list.all
    | shop_
    | list.
    | all
  td .end: 1,200
  td .end
    a href=/_profiler/?q=route:shop_list.all+status:%3E%3D500
      b .err: 3
  svg aria-hidden=true
    rect width=80%
    rect x=4% width=2
  td .end: 4.00 ms
  td .end: 80.0 ms
  td .end
    a href=/_profiler/?q=route:shop_list.all&amp;sort=duration: 900 ms
  td .end
    svg viewBox=0 0 78 20 role=img aria-label=The last 10 minutes, one by one: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
      path d=M0 19.5H78
      path d=M11 20V16.0M19 20V14.0M27 20V12.0M35 20V10.0M43 20V8.0M51 20V6.0M59 20V4.0M67 20V2.0M75 20V0.0
      path .bad d=M75 20V12.0
  a href=/_profiler/?q=-route:*: no route
  td .end: 1
  td .end
  svg aria-hidden=true
    rect width=20%
  td .end
  td .end
  td .end
    a href=/_profiler/?q=-route:*&amp;sort=duration: 20.0 ms
  td .end
`,
    );
    assert.deepEqual(asked, [
      { where: [], groupBy: ['route'], steps: { from: 3_000_000, stepMs: 60_000, count: 10 } },
    ]);
  });

  it('draws a bar longer than the axis as torn', async () => {
    const quick = Array.from({ length: 20 }, (_, at) => group({ values: [`r${at}`] }));
    const { site } = siteWith([group({ values: ['slow'], durations: [[5000, 1]] }), ...quick]);
    const html = bodyOf(await showRoutes(site));
    assert.match(html, /on one axis from 0 to 10 ms/);
    assert.equal(html.match(/class="tears"/g)?.length, 1);
    assert.match(html, /<rect class="range" width="100%"/);
  });

  it('says if there are no requests, if only 200 are shown, and if counting stopped', async () => {
    const none = bodyOf(await showRoutes(siteWith([]).site));
    assert.match(none, /<span class="total">none<\/span><\/div><p class="empty">No requests yet\./);
    const many = Array.from({ length: 201 }, (_, at) => group({ values: [`r${at}`] }));
    const cut = 'There are more: the count stopped at its bound.';
    const all = bodyOf(await showRoutes(siteWith(many).site));
    assert.ok(all.includes(cut));
    assert.equal(all.match(/<tr>/g)?.length, 201); // including the header row
    assert.match(all, /<span class="total">201</);
    assert.ok(!bodyOf(await showRoutes(siteWith(many.slice(1)).site)).includes(cut));
    assert.ok(bodyOf(await showRoutes(siteWith([group({})], false).site)).includes(cut));
  });
});

describe('the errors page', () => {
  it('has the failures, then the refusals under their own heading', async () => {
    const { site } = siteWith([
      group({ values: ['NotFound', null, '0a1b2c3e'], count: 3, lastToken: '' }),
      group({ values: ['TypeError', 'shop.ts:3', '0a1b2c3d'], count: 2, failed: 2, steps: [[2, 2]] }),
    ]);
    assert.equal(
      outlineOf(bodyOf(await showErrors(site))),
      `
h1: Errors
| 1 error, 2 occurrences
li .is-failed
  | 2
  a href=/_profiler/?q=fingerprint:0a1b2c3d: TypeError
  | TypeError ·
  | shop.ts:3
  span title=GET /: GET /
  svg viewBox=0 0 78 20 role=img aria-label=The last 10 minutes, one by one: 2
    path d=M0 19.5H78
    path d=M3 20V0.0
    path .bad d=M3 20V0.0
  | first
  time datetime=1970-01-01T00:00:01.000Z data-age: 59 min ago
  a href=/_profiler/abcdef?panel=exception
    time datetime=1970-01-01T00:00:55.000Z data-age: 59 min ago
h2: Refused
| 1 error, 3 occurrences
| 3
a href=/_profiler/?q=fingerprint:0a1b2c3e: NotFound
| NotFound · no location in the application
| first
time datetime=1970-01-01T00:00:01.000Z data-age: 59 min ago
a href=/_profiler/malformed?panel=exception
  time datetime=1970-01-01T00:00:55.000Z data-age: 59 min ago
`,
    );
  });

  it('says if there are no errors, and if there are only refusals', async () => {
    assert.match(
      bodyOf(await showErrors(siteWith([]).site)),
      /none failed[^]*No errors\. Errors thrown by requests are counted here\./,
    );
    const refused = bodyOf(await showErrors(siteWith([group({ values: [null, null] })]).site));
    assert.match(refused, /none failed/);
    assert.match(refused, /thrown after the response/);
    assert.doesNotMatch(refused, /No errors/);
    const failed = bodyOf(await showErrors(siteWith([group({ values: ['E', null], failed: 1 })]).site));
    assert.doesNotMatch(failed, /Refused/);
    const many = Array.from({ length: 201 }, () => group({ values: ['E', null], lastToken: '' }));
    assert.match(bodyOf(await showErrors(siteWith(many).site)), /There are more/);
    assert.doesNotMatch(bodyOf(await showErrors(siteWith(many.slice(1)).site)), /There are more/);
    assert.match(bodyOf(await showErrors(siteWith([group({})], false).site)), /There are more/);
  });
});

describe('the error count in the bar', () => {
  it('counts the kinds that made requests fail', async () => {
    const { site, asked } = siteWith([group({ failed: 1 }), group({ failed: 0 }), group({ failed: 9 })]);
    assert.equal(await countErrors(site), 2);
    assert.deepEqual(asked, [
      {
        where: [{ columns: ['errorClass'], test: { kind: 'missing' }, isNegated: true }],
        groupBy: ['fingerprint'],
      },
    ]);
  });
});
