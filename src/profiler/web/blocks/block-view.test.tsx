import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dump } from '#core/dump';
import { flattenError } from '#core/errors';
import { breakdownOf } from '../../model/time-breakdown.js';
import { renderFragment } from '#core/html';
import { outlineOf } from '../../../../test/profiler/page-outline.js';
import type { Block } from '../../view/block.js';
import { BlockList, Figure } from './block-view.js';

const htmlOf = (...blocks: readonly Block[]): string =>
  String(renderFragment(<BlockList blocks={blocks} level={2} />));
const shown = (...blocks: readonly Block[]): string => outlineOf(htmlOf(...blocks));
const note: Block = { kind: 'note', text: 'a note', tone: 'warn' };
const text = (words: string): Block => ({ kind: 'text', text: words });

describe('blocks on a page', () => {
  it('of figures have their numbers in words, and their tone', () => {
    const metrics = [
      { label: 'queries', value: 1234 },
      { label: 'failed', value: 'two', tone: 'error' },
    ] as const;
    assert.equal(
      htmlOf({ kind: 'metrics', metrics }),
      '<dl class="metrics"><div><dt>queries</dt><dd>1,234</dd></div><div class="tone-error"><dt>failed</dt><dd>two</dd></div></dl>',
    );
  });

  it('of nested sections have headings of the next level, down to the fourth', () => {
    const inner: Block = { kind: 'section', title: 'Inner', count: 1200, blocks: [note] };
    const middle: Block = { kind: 'section', title: 'Middle', blocks: [inner], folded: true };
    assert.equal(
      shown({ kind: 'section', title: 'Outer', blocks: [middle], hint: 'hint' }),
      `
h2: Outer
span .muted: hint
details
  summary
    h3: Middle
  h4
    | Inner
    | 1,200
  | a note
`,
    );
    const more = { href: 'javascript:alert(1)', label: 'All' };
    assert.match(
      htmlOf({ kind: 'section', title: 'Outer', blocks: [], more }),
      /<div class="head"><h2>Outer <\/h2><span class="muted"><\/span><a href="#refused">All<\/a>/,
    );
    assert.match(
      htmlOf({ kind: 'section', title: 'Plain', blocks: [] }),
      /^<section class="section"><h2>Plain <\/h2><\/section>$/,
    );
  });

  it('of the answer show machine time if noticeable', () => {
    const breakdown = { ...breakdownOf({ durationMs: 279, timeline: [] }), busy: 129 };
    const answer = (busy: number): string =>
      shown({
        kind: 'answer',
        ms: 279,
        usual: '',
        sentence: { tone: 'info', title: 'x' },
        breakdown: { ...breakdown, busy },
      });
    assert.match(answer(129), /Without the 129 ms in which the process had no CPU:\s+strong: 150 ms/);
    assert.doesNotMatch(answer(13), /no processor/);
    assert.doesNotMatch(answer(0), /no processor/);
  });

  it('of findings have their kind as a chip, or an icon', () => {
    const [kind, none] = [{ kind: 'N+1' }, {}].map((more) =>
      shown({ kind: 'findings', findings: [{ tone: 'warn', title: 'x', ...more }] }),
    );
    assert.match(kind ?? '', /span \.chip \.is-warn: N\+1|span \.is-warn: N\+1/);
    assert.doesNotMatch(kind ?? '', /svg/);
    assert.match(none ?? '', /svg/);
  });

  it('of the answer have the time, the usual time, the sentence with its location, the bar and its legend', () => {
    const breakdown = {
      framework: 1,
      app: 8,
      database: 0,
      http: 0,
      rendering: 0,
      profiler: 0,
      waiting: 0,
      busy: 0,
      unaccounted: 1,
    };
    const sentence = {
      tone: 'warn',
      title: 'Slow, from shop.ts:3 here',
      href: '/x',
      location: { text: 'shop.ts:3', href: 'vscode://x' },
    } as const;
    assert.equal(
      shown({ kind: 'answer', ms: 10, usual: 'usually 5 ms', sentence, breakdown }),
      `
section aria-label=Answer
  | 10.0
  small: ms
  span .muted: usually 5 ms
  a href=/x: Slow, from
  a href=vscode://x: shop.ts:3
  | here
  svg role=img
    title: framework 1.00 ms, your code 8.00 ms, not accounted for 1.00 ms
    rect width=10%
    rect x=10% width=80%
    rect x=90% width=10%
  ul aria-label=Where the time went
    svg width=10 height=10 aria-hidden=true
      rect width=10 height=10 rx=2
    | framework
    strong: 1.00 ms
    | 10 %
    svg width=10 height=10 aria-hidden=true
      rect width=10 height=10 rx=2
    | your code
    strong: 8.00 ms
    | 80 %
    svg width=10 height=10 aria-hidden=true
      rect width=10 height=10 rx=2
    | not accounted for
    strong: 1.00 ms
    | 10 %
`,
    );
  });

  it('of findings have a word for their tone, a link, and details', () => {
    const findings = (['neutral', 'ok', 'info', 'warn', 'error'] as const).map((tone, at) => ({
      tone,
      title: `title ${at}`,
      ...(at === 0 ? {} : { href: '/x', detail: `detail ${at}` }),
    }));
    assert.equal(
      shown({ kind: 'findings', findings }),
      `
svg viewBox=0 0 24 24 aria-hidden=true
  path d=M12 3a9 9 0 1 0 .01 0zM7.5 12h.2m4.2 0h.2m4.2 0h.2
strong
  | Note:
  | title 0
svg viewBox=0 0 24 24 aria-hidden=true
  path d=M5 12.5 10 17.5 19 7
strong
  | Good:
  a href=/x: title 1
| detail 1
svg viewBox=0 0 24 24 aria-hidden=true
  path d=M12 3a9 9 0 1 0 .01 0zM12 11v5.5m0-9v.2
strong
  | Note:
  a href=/x: title 2
| detail 2
svg viewBox=0 0 24 24 aria-hidden=true
  path d=M12 3a9 9 0 1 0 .01 0zM12 7.5v5.5m0 3v.2
strong
  | Warning:
  a href=/x: title 3
| detail 3
svg viewBox=0 0 24 24 aria-hidden=true
  path d=M12 3a9 9 0 1 0 .01 0zM8.8 8.8l6.4 6.4m0-6.4-6.4 6.4
strong
  | Problem:
  a href=/x: title 4
| detail 4
`,
    );
    const placed = { tone: 'warn', title: 'shop.ts:3', href: '/x', location: { text: 'shop.ts:3' } } as const;
    assert.doesNotMatch(htmlOf({ kind: 'findings', findings: [placed] }), /<a /); // nothing left to link
    const elsewhere = { ...placed, title: 'Slow', location: { text: 'other.ts' } };
    assert.match(htmlOf({ kind: 'findings', findings: [elsewhere] }), /<a href="\/x">Slow<\/a>/);
  });

  it('of pairs have wide rows for trees and for more than 60 characters', () => {
    const wide = (value: Parameters<typeof pairs>[0]): boolean =>
      htmlOf(pairs(value)).includes('class="wide"');
    const pairs = (value: Extract<Block, { kind: 'pairs' }>['pairs'][number][1]): Block => ({
      kind: 'pairs',
      label: 'p',
      pairs: [['key', value]],
    });
    assert.deepEqual(
      [
        wide('x'.repeat(60)),
        wide('x'.repeat(61)),
        wide(10 ** 20),
        wide({ text: 'x'.repeat(60) }),
        wide({ text: 'x'.repeat(61) }),
        wide({ text: '', snapshot: dump({}) }),
      ],
      [false, true, false, false, true, true],
    );
    assert.equal(
      htmlOf({ kind: 'pairs', label: 'p', pairs: [], empty: 'None.' }),
      '<p class="empty">None.</p>',
    );
    assert.match(htmlOf(pairs('v')), /^<dl class="facts" aria-label="p"><div><dt>key<\/dt><dd>/);
  });

  it('of code are complete up to 20,000 characters, and say what is omitted', () => {
    const code = (length: number): string =>
      htmlOf({ kind: 'code', label: 'SQL', text: 'x'.repeat(length), language: 'sql' });
    assert.doesNotMatch(code(20_000), /more character/);
    assert.match(
      code(20_001),
      new RegExp(`<code>x{20000}</code></pre><p class="muted">1 more character is in the JSON form`),
    );
    assert.match(code(20_002), />2 more characters are/);
    assert.equal(
      outlineOf(code(3)),
      `
figure
  figcaption
    | SQL
    button type=button data-copy-block hidden: Copy
  pre tabindex=0 aria-label=SQL: xxx
`,
    );
  });

  it('of filters mark the selected one, in a group if titled, otherwise in a landmark', () => {
    const filters = [
      { label: 'All', href: '/all', chosen: true, count: 1200 },
      { label: 'Some', href: 'javascript:x', chosen: false },
    ];
    assert.equal(
      shown(
        { kind: 'filters', label: 'Pages', filters },
        { kind: 'filters', label: 'Pages', filters: [], isTitled: true },
      ),
      `
nav aria-label=Pages
  a href=/all aria-current=true
    | All
    | 1,200
  a href=#refused: Some
div role=group aria-label=Pages
  span .muted: Pages
`,
    );
  });

  it('of forms submit to this origin only', () => {
    const form = (action: string): string =>
      htmlOf({ kind: 'form', label: 'Go', action, fields: { a: '1' } });
    assert.equal(
      form('/do'),
      '<form method="post" action="/do"><input type="hidden" name="a" value="1"/><button type="submit" class="button">Go</button></form>',
    );
    for (const action of ['//other.test/', 'https://other.test/', 'do', ''])
      assert.equal(form(action), '', action);
  });

  it('of documents are sandboxed, and snapshots are in a group', () => {
    assert.equal(
      htmlOf({ kind: 'document', label: 'Mail', href: '/mail' }),
      '<iframe class="document" sandbox src="/mail" title="Mail" loading="lazy"></iframe>',
    );
    assert.match(
      htmlOf({ kind: 'snapshot', label: 'Body', snapshot: dump(1) }),
      /^<div class="value" role="group" aria-label="Body">/,
    );
    assert.equal(
      htmlOf({ kind: 'columns', columns: [[text('a')], [text('b')]] }),
      '<div class="side-by-side"><div><p class="muted">a</p></div><div><p class="muted">b</p></div></div>',
    );
    assert.equal(htmlOf(note), '<p class="note note-warn">a note</p>');
    assert.match(
      htmlOf({
        kind: 'errors',
        report: flattenError(new TypeError('It broke'), {}),
        editor: () => undefined,
      }),
      /It broke/,
    );
  });

  it('of flames have a row per depth, and names if there is room', () => {
    const flame = { label: 'run', title: 'run, 5 ms', href: '/x' };
    const flames = [
      { ...flame, depth: 0, start: 0, width: 1, isOwn: true },
      { ...flame, depth: 2, start: 0.5, width: 0.02, isOwn: false },
      { ...flame, depth: 1, start: 0.5, width: 0.021, isOwn: false },
    ];
    assert.equal(
      shown({ kind: 'flames', label: 'Calls', flames }),
      `
figure dir=ltr
  figcaption
    | The application
    | Libraries and Node.js
  svg height=60 aria-hidden=true
    a href=/x tabIndex=-1
      title: run, 5 ms
      svg x=0% y=0 width=100% height=19
        rect width=100% height=100%
        text x=4 y=13: run
    a href=/x tabIndex=-1
      title: run, 5 ms
      svg x=50% y=40 width=2% height=19
        rect width=100% height=100%
    a href=/x tabIndex=-1
      title: run, 5 ms
      svg x=50% y=20 width=2.1% height=19
        rect width=100% height=100%
        text x=4 y=13: run
`,
    );
    assert.match(
      htmlOf({ kind: 'flames', label: 'Calls', flames: [] }),
      /<svg height="20" aria-hidden="true"><\/svg>/,
    );
    assert.equal(htmlOf({ kind: 'flames', label: 'Calls', flames }).split('class="own"').length, 3); // the key too
  });
});

describe("a page's figure", () => {
  it('has a small unit, and its tone', () => {
    assert.equal(
      String(renderFragment(<Figure time="1.5 s" usual="usually 1 s" tone="more-time" />)),
      '<p class="figure"><span class="more-time">1.5<small>s</small></span> <span class="muted">usually 1 s</span></p>',
    );
  });
});
