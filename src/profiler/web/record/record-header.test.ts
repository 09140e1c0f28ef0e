import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flattenError } from '#core/errors';
import { createEditorLinker } from '#core/errors';
import { bodyOf } from '../../../../test/profiler/open-page.js';
import { outcomeOf, outlineOf, pageRequest, siteOf } from '../../../../test/profiler/page-outline.js';
import { plain } from '../../../../test/profiler/plain-record.js';
import { createSampleReader } from '../../../../test/profiler/sample-reader.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Panel, SectionGroup } from '../../sections/panel.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { showRecord } from './show-record.js';

const route = { name: 'home', path: '/', parameters: [], trace: null, allow: [] };
/** A record with everything shown in its header. */
const rich: ProfileRecord = {
  ...plain,
  token: 'abc001',
  startedAt: 45_296_000,
  request: {
    ...plain.request,
    url: 'http://a.test/x?page=2',
    path: '/x',
    target: '/x?page=2',
    headers: [['Lookback-Replay', 'abc000']],
    user: 'ada',
    visitor: 'v1',
  },
  route,
  controller: { name: 'Shop.show', file: '/srv/shop.ts', line: 3, arguments: [] },
};
const older = { ...plain, token: 'abc000', startedAt: 45_295_000, durationMs: 3 };
const newer = { ...plain, token: 'abc002', startedAt: 45_297_000, durationMs: 7 };
const quiet: Panel = { id: 'quiet', title: 'Quiet', badge: () => 'plain', show: () => [] };

async function pageOf(
  record: ProfileRecord,
  more: Partial<ProfilerSite> = {},
  target = `/_profiler/${record.token}`,
): Promise<string> {
  const site = siteOf([newer, record, older], { panels: [quiet], ...more });
  return bodyOf(await showRecord(site, pageRequest(target), record.token));
}

describe("a record's page", () => {
  it('has the request, its facts as links, and its actions; links to neighbours keep the panel', async () => {
    assert.equal(
      outlineOf(await pageOf(rich, { editor: createEditorLinker('vscode') })),
      `
span .is-ok
  span aria-hidden=true: ✓
  | 200
  | OK
h1 title=GET /x?page=2
  | GET /x
  span .muted: ?page=2
| 200 ms
span .minor
  | ·
  time datetime=1970-01-01T12:34:56.000Z data-local=clock: 12:34:56
  | , just now
a .opt href=/_profiler/abc000?panel=quiet rel=prev data-key=[ title=Older: GET /, 3.00 ms aria-label=Older: GET /, 3.00 ms: ‹
a .opt href=/_profiler/abc002?panel=quiet rel=next data-key=] title=Newer: GET /, 7.00 ms aria-label=Newer: GET /, 7.00 ms: ›
a .opt href=/_profiler/compare/abc001/last-good title=Compare with the last successful request to this route: Compare
span .opt
  form method=post action=/_profiler/abc001/replay
    button type=submit: Replay
button type=button .opt data-copy-from=/_profiler/abc001.curl data-scripted hidden: Copy curl
details
  summary aria-label=More actions title=More actions: ⋯
  li .narrow
    a href=/_profiler/abc000?panel=quiet: Older
  li .narrow
    a href=/_profiler/abc002?panel=quiet: Newer
  li .narrow
    a href=/_profiler/compare/abc001/last-good: Compare with the last successful request
  a href=/_profiler/abc001.md: Open as Markdown
  a href=/_profiler/abc001.json: Open as JSON
  a href=/_profiler/abc001.har: Open as HAR
  li data-scripted hidden
    button type=button data-copy-from=/_profiler/abc001.md data-key=m: Copy as Markdown
  li data-scripted hidden
    button type=button data-copy-from=/_profiler/abc001.curl: Copy as curl
  li .narrow
    form method=post action=/_profiler/abc001/replay
      button type=submit: Replay
  form method=post action=/_profiler/abc001/replay
    input type=hidden name=profile value=cpu
    button type=submit: Replay with a CPU profile
  form method=post action=/_profiler/abc001/mark
    button type=submit: Pin
a href=/_profiler/?q=route:home title=Requests of the route home: Shop.show
a href=vscode://file/srv/shop.ts:3:1: /srv/shop.ts:3
a href=/_profiler/?q=user:ada title=User: ada
span title=Body of the response: 10 B
| abc001
button type=button data-copy=abc001 data-key=y hidden: Copy
a href=/_profiler/abc000
  | Replay of
  | abc000
a href=/_profiler/?q=visitor:v1: Requests of this visitor
nav aria-label=Panels
  a href=/_profiler/abc001?panel=quiet data-go=q title=g q aria-current=page: Quiet
  | Request
  | Process
section aria-labelledby=panel-title
  h2 id=panel-title: Quiet
`,
    );
  });

  it('has no links for missing facts, and offers to unpin a pinned record, with its note', async () => {
    const record = { ...plain, response: null, state: 'unfinished' as const };
    const reader = {
      ...createSampleReader([record]),
      find: async () => ({ kind: 'found', record, mark: { note: 'look at <this>' } }) as const,
    };
    const site = siteOf([record], { panels: [quiet], reader });
    const html = bodyOf(await showRecord(site, pageRequest('/_profiler/abcdef'), 'abcdef'));
    assert.match(html, /<title>unfinished GET \/ \(abcdef\)/);
    assert.equal(
      outlineOf(html),
      `
span .is-warn: ! no response
h1 title=GET /
  | GET /
  span .muted
| 200 ms
span .minor
  | ·
  time datetime=1970-01-01T00:00:01.000Z data-local=clock: 00:00:01
  | , 59 s ago
a .opt href=/_profiler/compare/abcdef/last-good title=Compare with the last successful request to this route: Compare
span .opt
  form method=post action=/_profiler/abcdef/replay
    button type=submit: Replay
button type=button .opt data-copy-from=/_profiler/abcdef.curl data-scripted hidden: Copy curl
details
  summary aria-label=More actions title=More actions: ⋯
  li .narrow
    a href=/_profiler/compare/abcdef/last-good: Compare with the last successful request
  a href=/_profiler/abcdef.md: Open as Markdown
  a href=/_profiler/abcdef.json: Open as JSON
  a href=/_profiler/abcdef.har: Open as HAR
  li data-scripted hidden
    button type=button data-copy-from=/_profiler/abcdef.md data-key=m: Copy as Markdown
  li data-scripted hidden
    button type=button data-copy-from=/_profiler/abcdef.curl: Copy as curl
  li .narrow
    form method=post action=/_profiler/abcdef/replay
      button type=submit: Replay
  form method=post action=/_profiler/abcdef/replay
    input type=hidden name=profile value=cpu
    button type=submit: Replay with a CPU profile
  form method=post action=/_profiler/abcdef/mark
    input type=hidden name=remove value=1
    button type=submit: Unpin
  form method=post action=/_profiler/abcdef/mark
    label
      | Note
      textarea name=note rows=3 maxlength=2000: look at &lt;this>
    button type=submit: Save
| no controller
span title=Body of the response: 0 B
| abcdef
button type=button data-copy=abcdef data-key=y hidden: Copy
a href=/_profiler/?q=has:pin: pinned
nav aria-label=Panels
  a href=/_profiler/abcdef?panel=quiet data-go=q title=g q aria-current=page: Quiet
  | Request
  | Process
section aria-labelledby=panel-title
  h2 id=panel-title: Quiet
`,
    );
  });

  it('shows in its chip how a request ended, and in its title the status', async () => {
    const chips: unknown[] = [];
    for (const [state, status] of [
      ['complete', 404],
      ['aborted', 200],
      ['unfinished', 200],
      ['aborted', null],
    ] as const) {
      const response = status === null || plain.response === null ? null : { ...plain.response, status };
      const html = await pageOf({ ...plain, state, response });
      chips.push([
        /<span class="chip is-(\w+)">(?:<span[^>]*>. <\/span>)?([^<]*)(?:<span class="word">)?([^<]*)/
          .exec(html)
          ?.slice(1)
          .join('|'),
        /<title>(\w+)/.exec(html)?.[1],
      ]);
    }
    assert.deepEqual(chips, [
      ['warn|404| Not Found', '404'],
      ['warn|! 200, cut short|', '200'],
      ['warn|! no response|', '200'],
      ['warn|! no response|', 'unfinished'],
    ]);
  });

  it('links to the requests with its error, and offers the existing panels for an unknown one', async () => {
    const exception = flattenError(new TypeError('It broke'), {});
    const html = await pageOf({ ...plain, exception });
    assert.match(html, /<a href="\/_profiler\/\?q=fingerprint:[\da-f]{8}">Requests with this error<\/a>/);
    assert.equal(
      await outcomeOf(
        showRecord(siteOf([plain], { panels: [quiet] }), pageRequest('/?panel=nope'), 'abcdef'),
      ),
      '404 unknown-panel: There is no panel “nope”. A record has these panels: quiet.',
    );
  });

  it('opens at the first panel that asks for it, otherwise at the first', async () => {
    const opening = { ...quiet, id: 'open', title: 'Opening', opens: () => true };
    const throwing = {
      ...quiet,
      id: 'bad',
      title: 'Throwing',
      opens: (): boolean => assert.fail('a mistake of the panel'),
    };
    const titleOf = async (panels: readonly Panel[], target?: string): Promise<string | undefined> =>
      /<h2 id="panel-title">(\w+)/.exec(await pageOf(plain, { panels }, target))?.[1];
    assert.equal(
      await titleOf([quiet, throwing, opening, { ...opening, id: 'z', title: 'Later' }]),
      'Opening',
    );
    assert.equal(await titleOf([quiet, throwing]), 'Quiet');
    assert.equal(await titleOf([quiet, opening], '/?panel=quiet'), 'Quiet');
  });

  it('has a menu with badges and keys: groups in order, empty panels folded unless one is shown', async () => {
    const entry = (id: string, badge: ReturnType<Panel['badge']>, group: SectionGroup = 'work'): Panel => ({
      ...quiet,
      id,
      title: id,
      group,
      badge: () => badge,
    });
    const panels = [
      entry('hhh', 'plain'),
      entry('db', { count: 3, tone: 'warn', words: 'three queries' }),
      entry('dump', undefined),
      entry('events', 'plain', 'process'),
      entry('request', 'plain', 'request'),
      { ...quiet, id: 'broken', title: 'broken', badge: () => assert.fail('a mistake of the panel') },
    ];
    const menu = (html: string): string => outlineOf(/<nav class="menu"[^]*?<\/nav>/.exec(html)?.[0] ?? '');
    assert.equal(
      menu(await pageOf(plain, { panels })),
      `
nav aria-label=Panels
  a href=/_profiler/abcdef?panel=hhh aria-current=page: hhh
  a href=/_profiler/abcdef?panel=db data-go=d title=g d
    | db
    span .is-warn
      span aria-hidden=true: 3
      | three queries
  a href=/_profiler/abcdef?panel=broken data-go=b title=g b
    | broken
    span .is-error
      span aria-hidden=true: 1
      | the panel failed
  | Request
  a href=/_profiler/abcdef?panel=request data-go=r title=g r: request
  | Process
  a href=/_profiler/abcdef?panel=events data-go=e title=g e: events
  details
    summary: 1 empty panel
    a href=/_profiler/abcdef?panel=dump data-go=u title=g u: dump
`,
    );
    assert.match(await pageOf(plain, { panels }, '/?panel=dump'), /<details open/);
  });

  it('stays complete if a panel throws or returns invalid blocks, and gives the error', async () => {
    const broken = { ...quiet, title: 'Broken' };
    const thrower = (): never => assert.fail('a mistake of the panel');
    const invalid = (): never => [{ kind: 'pairs', label: '', pairs: null }] as never; // a mistake too
    const unknown = (): never => [{ kind: 'tabel', rows: [] }] as never; // a mistake too
    for (const [show, error] of [
      [thrower, 'AssertionError: a mistake of the panel'],
      [invalid, 'TypeError: '],
      [unknown, 'TypeError: A block has an unknown kind'],
    ] as const) {
      const page = await pageOf(plain, { panels: [{ ...broken, show }] });
      assert.ok(page.includes(`The panel “Broken” failed on this record: ${error}`), page);
      assert.match(page, /\. The record itself is complete: see its JSON form\./);
    }
  });

  it("has a panel's first figures, sentences and filters next to its title, unless there is nothing else", async () => {
    const text = (words: string) => ({ kind: 'text', text: words }) as const;
    const noted = { kind: 'note', text: 'a note', tone: 'neutral' } as const;
    const headOf = async (blocks: ReturnType<Panel['show']>): Promise<string | undefined> =>
      /<h2 id="panel-title">Quiet<\/h2>(.*?)<\/div>/.exec(
        await pageOf(plain, { panels: [{ ...quiet, show: () => blocks }] }),
      )?.[1];
    const [a, b, c] = ['a', 'b', 'c'].map(text) as [
      ReturnType<typeof text>,
      ReturnType<typeof text>,
      ReturnType<typeof text>,
    ]; // three
    assert.equal(await headOf([a]), '');
    assert.equal(await headOf([a, b]), '<p class="muted">a</p><p class="muted">b</p>');
    assert.equal(await headOf([a, b, c]), '<p class="muted">a</p><p class="muted">b</p>');
    assert.equal(await headOf([a, noted]), '<p class="muted">a</p>');
    assert.equal(await headOf([noted, a]), '');
  });

  it("shows a panel's document in a sandbox, and none that does not exist", async () => {
    const site = siteOf([plain], {
      panels: [{ ...quiet, document: (_, name) => (name === 'mail' ? '<p>hi' : undefined) }],
    });
    const found = await showRecord(site, pageRequest('/?document=mail'), 'abcdef');
    assert.equal(bodyOf(found), '<p>hi');
    assert.match(found.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/);
    assert.equal(found.headers.get('x-frame-options'), 'SAMEORIGIN');
    assert.equal((await showRecord(site, pageRequest('/?document=no'), 'abcdef')).status, 404);
  });

  it('links to rows by panel or section; with the row if it may be on a later page', async () => {
    let links: readonly string[] = [];
    const panel: Panel = {
      ...quiet,
      section: 'own',
      show: (_record, { linkTo, link, recordLink, query: given }) => {
        links = [
          linkTo({ panel: 'quiet' }),
          linkTo({ panel: 'own', anchor: 'row-5' }),
          linkTo({ panel: 'own', anchor: 'row-6' }),
          linkTo({ panel: 'gone', anchor: 'a b' }),
          link('quiet', { page: '2' }),
          recordLink('abc999'),
          given('page').length.toString(),
        ];
        return [];
      },
    };
    await pageOf(plain, { panels: [panel] }, `/?page=${'9'.repeat(400)}`);
    assert.deepEqual(links, [
      '/_profiler/abcdef?panel=quiet',
      '/_profiler/abcdef?panel=quiet#row-5',
      '/_profiler/abcdef?panel=quiet&at=row-6#row-6',
      '/_profiler/abcdef?panel=more#a%20b',
      '/_profiler/abcdef?panel=quiet&page=2',
      '/_profiler/abc999',
      '300',
    ]);
  });

  it('gives a panel the related records, at most 50 unless it asks for more, and none if they cannot be read', async () => {
    const asked: unknown[] = [];
    let related: readonly unknown[] = [];
    const panel: Panel = {
      ...quiet,
      related: () => ({ where: [] }),
      show: (_record, context) => {
        related = context.related;
        return [];
      },
    };
    const reader = createSampleReader([plain]);
    const list: typeof reader.list = async (given) => {
      asked.push(given);
      return reader.list(given);
    };
    await pageOf(plain, { panels: [panel], reader: { ...reader, list } });
    assert.deepEqual(asked[0], { limit: 50, where: [] });
    assert.equal(related.length, 1);
    await pageOf(plain, {
      panels: [{ ...panel, related: () => assert.fail('a mistake of the panel') }],
      reader,
    });
    assert.deepEqual(related, []);
  });

  it('explains with an exception how to open locations in an editor, until one is configured', async () => {
    const panels = [{ ...quiet, id: 'exception' }];
    assert.match(await pageOf(plain, { panels }), /Set LOOKBACK_IDE/);
    assert.doesNotMatch(await pageOf(plain, { panels, editor: createEditorLinker('zed') }), /LOOKBACK_IDE/);
    assert.doesNotMatch(await pageOf(plain), /LOOKBACK_IDE/);
  });
});
