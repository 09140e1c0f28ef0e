import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { posted } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block } from '../../view/block.js';
import { renderBlocksMarkdown } from './render-blocks-markdown.js';
import {
  type MarkdownPart,
  renderComparisonMarkdown,
  renderRecordMarkdown,
} from './render-record-markdown.js';

const recordOf = (changes: Partial<ProfileRecord>): ProfileRecord => ({ ...posted, ...changes });

/** Returns whether every fence that begins in a text ends in it, as CommonMark reads them. */
function fencesEnd(text: string): boolean {
  let open = '';
  for (const line of text.split('\n')) {
    const [, ticks = '', rest = ''] = /^(`{3,})([^`]*)$/.exec(line) ?? [];
    if (ticks === '') continue;
    if (open === '') open = ticks;
    else if (ticks.length >= open.length && rest.trim() === '') open = '';
  }
  return open === '';
}

describe('a record as a report', () => {
  const code = (text: string): Block => ({ kind: 'code', label: 'Body', text });
  const part = (id: string, rank: number, ...blocks: Block[]): MarkdownPart => ({
    id,
    title: id,
    rank,
    text: () => renderBlocksMarkdown(blocks, 3),
  });
  const line: Block = { kind: 'text', text: 'x'.repeat(500) };

  it('has its parts by rank, each within its limit, and names what is omitted', () => {
    const many = Array.from({ length: 40 }, () => line);
    const report = renderRecordMarkdown(recordOf({}), [
      part('quiet', 3, ...many),
      part('loud', 1, ...many),
      part('first', 0, line),
    ]);
    assert.ok(report.startsWith('# 200 POST http://a.test/x\n\n- Record: `abc123`'));
    assert.ok(
      report.indexOf('## first') < report.indexOf('## loud') &&
        report.indexOf('## loud') < report.indexOf('## quiet'),
    );
    const length = (name: string): number =>
      /## /.exec(report.slice(report.indexOf(`## ${name}`) + 3))?.index ?? 0;
    assert.ok(length('loud') > 2000 && length('loud') <= 3020, String(length('loud')));
    assert.ok(length('quiet') > 400 && length('quiet') <= 1220, String(length('quiet')));
    assert.match(report, /## Left out\n\n- loud: \d+ of \d+ characters \(\\`\?panel=loud\\`\)\n- quiet: /);
    assert.doesNotMatch(report, /- first:/);
    assert.ok(report.length < 15_500);
  });

  it('names empty panels in one line', () => {
    const report = renderRecordMarkdown(recordOf({}), [
      part('db', 3, line),
      { ...part('mail', 3, line), isEmpty: true },
      { ...part('jobs', 3, line), isEmpty: true },
    ]);
    assert.match(report, /## db\n\nx+\n\nNothing recorded: mail, jobs\.\n$/);
  });

  it('is never cut within a fence, even if a text contains fences', () => {
    const words = fc.constantFrom('```', '````', 'a\n\nb', '``` js', 'text\n', '\n\n', 'x'.repeat(300));
    fc.assert(
      fc.property(
        fc.array(words, { minLength: 4, maxLength: 30 }),
        fc.integer({ min: 1, max: 12 }),
        (texts, count) => {
          const text = texts.join('\n');
          const blocks = Array.from({ length: count }, () => code(text));
          const report = renderRecordMarkdown(recordOf({}), [
            part('loud', 1, ...blocks),
            part('quiet', 3, ...blocks),
          ]);
          assert.ok(fencesEnd(report), report);
        },
      ),
    );
  });

  it('of two records begins with both, and then has the differences', () => {
    const pair = [recordOf({}), recordOf({ token: 'def456', response: null })];
    const text = renderComparisonMarkdown(pair, [{ kind: 'section', title: 'Time', blocks: [line] }]);
    assert.match(text, /\*\*1\.\*\* 200 POST[^]*\*\*2\.\*\* Unfinished: POST[^]*\n## Time\n\nx+\n$/);
  });

  it("writes out the times that pages show in the reader's zone", () => {
    const text = renderBlocksMarkdown(
      [{ kind: 'pairs', label: '', pairs: [['Since', { text: '', time: 0 }]] }],
      2,
    );
    assert.match(text, /- Since: `1970-01-01T00:00:00\.000Z`/);
  });

  it('shows no style sheet or script from a page, and says how much was omitted', () => {
    const text = renderBlocksMarkdown(
      [code(`<style>${'a'.repeat(9000)}</style><p>here</p><SCRIPT>${'b'.repeat(99)}`)],
      2,
    );
    assert.match(text, /<style>…<\/style><p>here<\/p><SCRIPT>…<\/SCRIPT>/);
    assert.match(renderBlocksMarkdown([code('y'.repeat(2300))], 2), /y\n… 300 more characters/);
  });

  it('has thirty table rows and says how many more there are; cells stay intact', () => {
    const table: Block = {
      kind: 'table',
      caption: 'Rows',
      columns: [{ label: 'A|B' }, { label: 'C' }],
      rows: Array.from({ length: 33 }, (_, at) => ({
        cells: [{ text: `a|b\n${at}`, mono: at % 2 === 0 }, at],
      })),
    };
    const lines = renderBlocksMarkdown([table], 2).split('\n');
    for (const one of lines.filter((text) => text.startsWith('|')))
      assert.equal(one.replaceAll('\\|', '').split('|').length, 4, one);
    assert.equal(lines.filter((text) => text.startsWith('|')).length, 32);
    assert.match(lines.join('\n'), /… 3 more rows/);
  });
});
