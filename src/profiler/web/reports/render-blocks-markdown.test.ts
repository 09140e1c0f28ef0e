import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dump } from '#core/dump';
import { flattenError } from '#core/errors';
import type { Block } from '../../view/block.js';
import { renderBlocksMarkdown } from './render-blocks-markdown.js';

const text = (...blocks: readonly Block[]): string => renderBlocksMarkdown(blocks, 2);
const note: Block = { kind: 'note', text: 'a *note*', tone: 'warn' };

describe('blocks as Markdown', () => {
  it('of figures, findings, notes and texts are lines with escaped foreign text', () => {
    assert.equal(
      text(
        {
          kind: 'metrics',
          metrics: [
            { label: 'queries', value: 3 },
            { label: 'time', value: '5 *ms*' },
          ],
        },
        {
          kind: 'findings',
          findings: [
            { tone: 'warn', title: 'a_b', detail: '<c>' },
            { tone: 'ok', title: 'd' },
          ],
        },
        note,
        { kind: 'text', text: '# no heading' },
      ),
      '- queries: **3**\n- time: **5 \\*ms\\***\n\n- a\\_b: \\<c\\>\n- d\n\n> a \\*note\\*\n\n\\# no heading',
    );
  });

  it('of sections have headings down to the sixth level', () => {
    const section = (blocks: readonly Block[]): Block => ({ kind: 'section', title: 'T', blocks });
    assert.equal(text(section([section([note])])), '## T\n\n### T\n\n> a \\*note\\*');
    assert.match(renderBlocksMarkdown([section([section([])])], 6), /^###### T\n\n###### T/);
    assert.equal(text({ kind: 'columns', columns: [[note], [note]] }), '> a \\*note\\*\n\n> a \\*note\\*');
  });

  it('of code mark the faulty part of a line with carets below it', () => {
    const code = (source: string, mark: readonly [number, number]): string =>
      text({ kind: 'code', label: 'SQL', text: source, language: 'sql', mark });
    assert.equal(code('select a\nfrom b', [7, 8]), 'SQL:\n\n```sql\nselect a\n       ^\nfrom b\n```');
    assert.equal(code('select a\nfrom b', [14, 15]), 'SQL:\n\n```sql\nselect a\nfrom b\n     ^\n```');
    assert.equal(code('ab\ncd', [1, 5]), 'SQL:\n\n```sql\nab\n ^\ncd\n```');
  });

  it('of pairs and tables have their values in code spans, and show replacement texts', () => {
    assert.equal(
      text({
        kind: 'pairs',
        label: 'p',
        pairs: [
          ['a', 1],
          ['b', { text: 'x`y', mono: true }],
          ['c', { text: 'x_y' }],
          ['d', { text: 'z', href: '/z' }],
          ['e', { text: '', time: 0 }],
          ['f', { text: '', snapshot: dump('g') }],
        ],
      }),
      '- a: `1`\n- b: `` x`y ``\n- c: x\\_y\n- d: `z`\n- e: `1970-01-01T00:00:00.000Z`\n- f: `"g"`',
    );
    assert.equal(
      text({ kind: 'pairs', label: 'p', pairs: [], empty: 'None.' }, note),
      'None.\n\n> a \\*note\\*',
    );
    assert.equal(text({ kind: 'pairs', label: 'p', pairs: [] }, note), '> a \\*note\\*');
  });

  it('of tables have thirty rows, their details below, and a caption if they are cut', () => {
    const table = (count: number, more: object = {}): Block => ({
      kind: 'table',
      caption: 'The first 2 of 5',
      columns: [{ label: 'A' }, { label: 'B_' }],
      rows: Array.from({ length: count }, (_, at) => ({
        cells: [at, { text: 'b' }],
        ...(at === 1 ? { detail: [note] } : {}),
        ...(at === 0 ? { detail: [] } : {}),
      })),
      empty: 'None.',
      ...more,
    });
    assert.equal(
      text(table(2)),
      '| A | B\\_ |\n| --- | --- |\n| `0` | b |\n| `1` | b |\n\nRow 2:\n\n> a \\*note\\*',
    );
    assert.match(text(table(2, { isCut: true })), /^The first 2 of 5\n\n\| A/);
    assert.equal(text(table(0)), 'None.');
    assert.doesNotMatch(text(table(30)), /more rows/);
    assert.match(text(table(32)), /\n\n… 2 more rows\n\nRow 2:/);
  });

  it('of code are cut at 2,000 characters, and page styles and scripts are left out', () => {
    const code = (content: string): string =>
      text({ kind: 'code', label: 'Body', text: content, language: 'html' });
    assert.equal(code('a'), 'Body:\n\n```html\na\n```');
    assert.doesNotMatch(code('x'.repeat(2000)), /more characters/);
    assert.match(code('x'.repeat(2001)), /x\n… 1 more characters\n/);
    assert.match(
      code(' <p><style>a{}</style><SCRIPT>1</script ><p>'),
      / <p><style>…<\/style><SCRIPT>…<\/SCRIPT><p>/,
    );
    assert.match(code('<script>never closed'), /<script>…<\/script>/);
    assert.match(code('text <style>a{}</style>'), /a\{\}/);
  });

  it('of timelines and flames are indented lists; flames are cut after the first thirty rows', () => {
    const spans = [
      { label: 'GET', start: 0, duration: 10 },
      { label: 'run', start: 1, duration: 5, depth: 2, busy: 3 },
    ];
    assert.equal(
      text({ kind: 'timeline', label: 'T', total: 10, spans } as Block), // as shown in a list
      '- GET: 10.0 ms from 0.00 ms\n    - run: 3.00 ms from 1.00 ms',
    );
    const flames = Array.from({ length: 31 }, (_, at) => ({ depth: at === 0 ? 0 : 1, title: `call ${at}` }));
    const lines = text({ kind: 'flames', label: 'F', flames } as unknown as Block).split('\n'); // as shown in a list
    assert.deepEqual([lines.length, lines[0], lines[1]], [30, '- call 0', '  - call 1']);
  });

  it('of answers, snapshots or errors are text; page-only blocks are omitted', () => {
    const breakdown = {
      framework: 0,
      app: 0,
      database: 0,
      http: 0,
      rendering: 0,
      profiler: 0,
      waiting: 0,
      busy: 0,
      unaccounted: 0,
    };
    assert.equal(
      text(
        {
          kind: 'answer',
          ms: 12,
          usual: 'usually 5 ms',
          sentence: { tone: 'warn', title: 'It was slow' },
          breakdown,
        },
        { kind: 'snapshot', label: 'P', snapshot: dump(1) },
      ),
      '**12.0 ms** (usually 5 ms): It was slow\n\nP:\n\n```\n1\n```',
    );
    assert.match(
      text({ kind: 'errors', report: flattenError(new TypeError('broke'), {}), editor: () => undefined }),
      /TypeError/,
    );
    assert.equal(
      text(
        { kind: 'document', label: 'D', href: '/d' },
        { kind: 'form', label: 'F', action: '/f', fields: {} },
        { kind: 'filters', label: 'F', filters: [] },
      ),
      '',
    );
  });

  it('of an unknown kind throw, so that a panel written without types does not seem empty', () => {
    assert.throws(() => renderBlocksMarkdown([{ kind: 'tabel' } as never], 2), /A block has an unknown kind/); // a mistake
  });
});
