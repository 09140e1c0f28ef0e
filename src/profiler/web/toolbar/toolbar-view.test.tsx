import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Script } from 'node:vm';
import { flattenError } from '#core/errors';
import { bodyOf } from '../../../../test/profiler/open-page.js';
import { outlineOf, siteOf } from '../../../../test/profiler/page-outline.js';
import { plain, query } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Panel } from '../../sections/panel.js';
import { builtinPanels } from '../open-profiler-pages.js';
import { showToolbar, showToolbarScript } from './show-toolbar.js';

async function toolbarOf(record: ProfileRecord, panels: readonly Panel[] = builtinPanels): Promise<string> {
  return outlineOf(bodyOf(await showToolbar(siteOf([record], { panels }), record.token)));
}

/** Returns an outline's entry, with its card. */
function entryOf(outline: string, id: string): string {
  const lines = outline.split('\n');
  const at = lines.findIndex((line) => line.includes(`data-entry=${id}`));
  const end = lines.findIndex(
    (line, index) => index > at && /data-entry=|^ {2}\| |aria-label=Requests of this page/.test(line),
  );
  return at === -1 ? 'none' : `\n${lines.slice(at, end).join('\n')}\n`;
}

const totals = {
  failed: 0,
  flushes: 0,
  flushMs: 0,
  commits: 0,
  rollbacks: 0,
  created: 0,
  updated: 0,
  removed: 0,
  queries: 3,
  durationMs: 12,
};
const queries = [
  query({ durationMs: 1 }),
  query({ durationMs: 9, sql: `select ${'x'.repeat(300)}` }),
  query(),
];
const line = (level: 'info' | 'warning', message: string): ProfileRecord['logs'][number] => ({
  time: 0,
  offsetMs: 0,
  level,
  channel: 'app',
  message,
});
const rich: ProfileRecord = {
  ...plain,
  request: { ...plain.request, user: 'ada' },
  route: { name: 'home', path: '/{page}', parameters: [], trace: null, allow: [] },
  controller: { name: 'Shop.show', file: null, line: null, arguments: [] },
  logs: [line('info', 'one'), line('info', 'two'), line('info', 'three'), line('warning', 'w'.repeat(300))],
  logTotals: { total: 4, byLevel: { info: 3, warning: 1 }, omitted: 0, omittedAfter: 0 },
  sections: {
    db: { queries, groups: [], changes: [], totals },
    security: {
      user: { identifier: 'ada', roles: ['a', 'b'] },
      firewall: null,
      decisions: [],
      uses: [],
      more: 0,
    },
  },
};

describe("a record's toolbar", () => {
  it('for a request without work has its status, its time and no other entry', async () => {
    assert.equal(
      await toolbarOf(plain),
      `
section aria-label=lookback dir=ltr data-state=complete
  a href=/_profiler/ aria-label=lookback: all requests title=lookback
    svg viewBox=0 0 16 16 aria-hidden=true focusable=false
      path d=M8 1h5L9 5H4z
      path d=M1 8l2-2h12v4H3z
      path d=M4 11h5l4 4H8z
  a .ok href=/_profiler/abcdef data-entry=status: ✓ 200
  div role=group aria-label=200 OK hidden
    span .number: 200 OK
    a href=/_profiler/abcdef?panel=request: GET /
    a href=/_profiler/abcdef: Open record
    a href=/_profiler/abcdef?panel=request: Request
    a href=/_profiler/: Requests of this page’s route
  a href=/_profiler/abcdef?panel=time data-entry=time
    | 200 ms
    svg role=img
      title: not accounted for 200 ms
      rect width=100%
  div role=group aria-label=200 ms hidden
    span .number: 200 ms
    span .muted: no route recorded
    a href=/_profiler/abcdef?panel=time: No step accounts for most of it: 200 ms of 200 ms
    svg role=img
      title: not accounted for 200 ms
      rect width=100%
    ul aria-label=Where the time went
      svg width=10 height=10 aria-hidden=true
        rect width=10 height=10 rx=2
      | not accounted for
      strong: 200 ms
      | 100 %
    a href=/_profiler/abcdef: Open record
    a href=/_profiler/abcdef?panel=time: All steps
    a href=/_profiler/compare/abcdef/last-good: Compare with the last successful request
  button type=button aria-expanded=false
  div hidden
    div role=region aria-label=Requests of this page tabindex=0
  button type=button aria-label=Hide the toolbar title=Close: ×
button type=button aria-label=Show the toolbar title=lookback
  svg viewBox=0 0 16 16 aria-hidden=true focusable=false
    path d=M8 1h5L9 5H4z
    path d=M1 8l2-2h12v4H3z
    path d=M4 11h5l4 4H8z
svg aria-hidden=true
  pattern id=hatch-app width=7 height=7 patternUnits=userSpaceOnUse patternTransform=rotate(45)
    rect width=3 height=7
  pattern id=hatch-busy width=7 height=7 patternUnits=userSpaceOnUse patternTransform=rotate(-45)
    rect width=3 height=7
`,
    );
  });

  it('has an entry with a card for its queries: the slowest one, and the findings', async () => {
    assert.equal(
      entryOf(await toolbarOf(rich), 'db'),
      `
  a href=/_profiler/abcdef?panel=db data-entry=db: 3 queries
  div role=group aria-label=12.0 ms hidden
    span .number: 12.0 ms
    span .muted: 3 queries
    | Slowest, 9.00 ms
    | select xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    a href=/_profiler/abcdef?panel=db: All queries
    a href=/_profiler/abcdef?panel=db#query-2: Slowest query
    a href=/_profiler/abcdef?panel=time: All steps
  li .minor
`,
    );
    const none = {
      ...rich,
      sections: { db: { queries: [], groups: [], changes: [], totals: { ...totals, queries: 0 } } },
    };
    assert.equal(entryOf(await toolbarOf(none), 'db'), 'none');
    const uncounted = {
      ...rich,
      sections: { db: { queries: [], groups: [], changes: [], totals: { ...totals, queries: 1 } } },
    };
    assert.match(entryOf(await toolbarOf(uncounted), 'db'), /data-entry=db: 1 query\n/);
    const failed = {
      ...rich,
      sections: { db: { queries, groups: [], changes: [], totals: { ...totals, failed: 2 } } },
    };
    assert.match(entryOf(await toolbarOf(failed), 'db'), /span \.error: 2 failed queries/);
  });

  it('has an entry with the last three log lines, cut, and a chip for warnings', async () => {
    assert.equal(
      entryOf(await toolbarOf(rich), 'logs'),
      `
    a href=/_profiler/abcdef?panel=logs data-entry=logs
      | 4 log lines
      span .warn: 1 logged warning
    div role=group aria-label=4 log lines hidden
      span .number: 4 log lines
      | info
      | two
      | info
      | three
      | warning
      | wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww
      a href=/_profiler/abcdef?panel=logs: All log lines
      a href=/_profiler/abcdef: Open record
      a href=/_profiler/?q=has:warning: Requests with warnings
  li .minor
`,
    );
  });

  it('has an entry for the user with roles, and one for the controller with its route', async () => {
    const outline = await toolbarOf(rich);
    assert.equal(
      entryOf(outline, 'user'),
      `
    a href=/_profiler/abcdef?panel=security data-entry=user: ada
    div role=group aria-label=ada hidden
      span .number .small: ada
      | roles
      | a, b
      a href=/_profiler/abcdef?panel=security: Security
      a href=/_profiler/?q=user:ada: Requests of this user
      a href=/_profiler/abcdef: Open record
  li .minor
`,
    );
    assert.equal(
      entryOf(outline, 'route'),
      `
    a href=/_profiler/abcdef?panel=routing data-entry=route: Shop.show
    div role=group aria-label=Shop.show hidden
      span .number .small: Shop.show
      | route
      | home
      | path
      | /{page}
      a href=/_profiler/abcdef?panel=routing: Routing
      a href=/_profiler/?q=route:home: Requests of this route
      a href=/_profiler/abcdef: Open record
  button type=button aria-expanded=false
  div hidden
`,
    );
    const lean = await toolbarOf({ ...rich, sections: {}, controller: null });
    assert.doesNotMatch(entryOf(lean, 'user'), /\d roles?/);
    assert.match(entryOf(lean, 'route'), /data-entry=route: home\n/);
    const nameless = await toolbarOf({ ...rich, route: null });
    assert.doesNotMatch(entryOf(nameless, 'route'), /dl|home|page\}/);
  });

  it('says how the request ended: its status in words, the exception, or that there was no response', async () => {
    const missing = { ...plain, response: null, state: 'unfinished' as const };
    assert.match(await toolbarOf(missing), /^\nsection aria-label=lookback dir=ltr data-state=unfinished\n/);
    assert.match(
      entryOf(await toolbarOf(missing), 'status'),
      /data-entry=status: … No response\n[^]*aria-label=No response/,
    );
    const exception = flattenError(new TypeError('It broke.'));
    const failed = { ...plain, exception, response: plain.response && { ...plain.response, status: 500 } };
    const entry = entryOf(await toolbarOf(failed, []), 'status');
    assert.match(entry, /^\n *a \.error href=\/_profiler\/abcdef data-entry=status: ✕ 500\n/);
    assert.match(entry, /a href=\/_profiler\/abcdef\?panel=exception: .*It broke/);
  });

  it('links to the request that redirected to it', async () => {
    const response = plain.response && {
      ...plain.response,
      headers: [['X-Previous-Debug-Token', 'abc123']] as const,
    };
    assert.equal(
      entryOf(await toolbarOf({ ...plain, response } as ProfileRecord), 'previous'),
      `
  a href=/_profiler/abc123 data-entry=previous: ↪ abc123
  div role=group aria-label=abc123 hidden
    span .number .small: abc123
    a href=/_profiler/abc123: Redirected from
    a href=/_profiler/abc123: Open record
  button type=button aria-expanded=false
  div hidden
`,
    );
  });

  it('has badges for at most four other panels with warnings, even if a panel throws', async () => {
    const panel = (id: string, tone: 'warn' | 'error' | 'neutral'): Panel => ({
      id,
      title: `Title of ${id}`,
      badge: () => ({ count: 1, tone, words: `words of ${id}` }),
      show: () => [],
    });
    const panels = [
      { ...panel('broken', 'warn'), badge: () => assert.fail('a mistake of the panel') },
      { ...panel('plain', 'warn'), badge: () => 'plain' as const },
      panel('db', 'warn'),
      panel('calm', 'neutral'),
      ...['one', 'two', 'three', 'four', 'five'].map((id) => panel(id, 'warn')),
    ];
    const outline = await toolbarOf(plain, panels);
    assert.deepEqual(
      [...outline.matchAll(/data-entry=(\w+)/g)].map(([, id]) => id),
      ['status', 'time', 'one', 'two', 'three', 'four'],
    );
    assert.equal(
      entryOf(outline, 'one'),
      `
    a href=/_profiler/abcdef?panel=one data-entry=one
      span .warn: words of one
    div role=group aria-label=Title of one hidden
      span .number .small: Title of one
      a href=/_profiler/abcdef?panel=one: words of one
      a href=/_profiler/abcdef?panel=one: Open panel
  li .minor
`,
    );
  });

  it("links to its page without a record, with the miss's status", async () => {
    const answer = await showToolbar(siteOf([]), 'abc123');
    assert.equal(answer.status, 404);
    assert.equal(
      outlineOf(bodyOf(answer)),
      `
section aria-label=lookback dir=ltr data-state=unfinished
  a href=/_profiler/ aria-label=lookback: all requests title=lookback
    svg viewBox=0 0 16 16 aria-hidden=true focusable=false
      path d=M8 1h5L9 5H4z
      path d=M1 8l2-2h12v4H3z
      path d=M4 11h5l4 4H8z
  a href=/_profiler/abc123
    span .muted: The record could not be read
    | abc123
  button type=button aria-expanded=false
  div hidden
    div role=region aria-label=Requests of this page tabindex=0
  button type=button aria-label=Hide the toolbar title=Close: ×
button type=button aria-label=Show the toolbar title=lookback
  svg viewBox=0 0 16 16 aria-hidden=true focusable=false
    path d=M8 1h5L9 5H4z
    path d=M1 8l2-2h12v4H3z
    path d=M4 11h5l4 4H8z
svg aria-hidden=true
  pattern id=hatch-app width=7 height=7 patternUnits=userSpaceOnUse patternTransform=rotate(45)
    rect width=3 height=7
  pattern id=hatch-busy width=7 height=7 patternUnits=userSpaceOnUse patternTransform=rotate(-45)
    rect width=3 height=7
`,
    );
  });
});

describe('the toolbar script', () => {
  it('is one function with three parts', () => {
    const script = showToolbarScript();
    assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.match(bodyOf(script), /^\(\(\) => \{\n[^]*\}\)\(\);\n$/);
    assert.doesNotThrow(() => new Script(bodyOf(script))); // it is only compiled
  });
});
