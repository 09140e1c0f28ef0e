import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createEditorLinker } from '#core/errors';
import { blocksOf, code, compact, furtherItems, line, note, section, warning } from './make-blocks.js';
import { badgeOf, callSitePairs, metricsOf, pairsOf } from './make-facts.js';
import { captionOf, column, table, tableSection } from './make-tables.js';
import { locationValue, styledText } from './make-values.js';

describe('parts of a panel', () => {
  it('keep their order if present, and nothing else is omitted', () => {
    assert.deepEqual(compact<unknown>(false, 0, '', null, 'a', undefined, Number.NaN), [
      0,
      '',
      'a',
      Number.NaN,
    ]);
    fc.assert(
      fc.property(fc.array(fc.option(fc.string())), (texts) => {
        assert.deepEqual(
          compact(...texts),
          texts.filter((text) => text !== null),
        );
      }),
    );
  });

  it('are flattened at any depth', () => {
    const [a, b] = [line('a'), line('b')];
    assert.deepEqual(blocksOf(false, a, [null, [b, undefined]], [], a), [a, b, a]);
  });

  it('say what was omitted, if anything', () => {
    const words = '{n} further route|{n} further routes';
    assert.equal(furtherItems(0, words), undefined);
    assert.equal(furtherItems(-3, words), undefined);
    assert.deepEqual(furtherItems(1, words), note('1 further route'));
    assert.deepEqual(furtherItems(1200, words, warning), note('1,200 further routes', 'warn'));
  });

  it('omit pairs without a value, and empty texts', () => {
    const pairs = pairsOf('Facts', [
      ['a', null],
      ['b', undefined],
      ['c', ''],
      ['d', 0],
      ['e', styledText('')],
      ['f', styledText('x', { tone: 'error' })],
    ]);
    assert.deepEqual(pairs.kind === 'pairs' && pairs.pairs, [
      ['d', 0],
      ['f', { text: 'x', tone: 'error' }],
    ]);
  });

  it('count in a badge what they show, or the failures among it', () => {
    assert.equal(badgeOf(0, '{n} query|{n} queries'), undefined);
    assert.equal(badgeOf(3, '{n} failed query|{n} failed queries', { n: 0 }), undefined);
    assert.deepEqual(badgeOf(3, '{n} query|{n} queries'), { count: 3, tone: 'neutral', words: '3 queries' });
    assert.deepEqual(badgeOf(3, '{n} failed query|{n} failed queries', { tone: 'error', n: 1 }), {
      count: 3,
      tone: 'error',
      words: '1 failed query',
    });
  });

  it('omit fields without a value', () => {
    assert.deepEqual(Object.keys(pairsOf('Facts', [])), ['kind', 'label', 'pairs']);
    assert.deepEqual(Object.keys(pairsOf('Facts', [], '')), ['kind', 'label', 'pairs', 'empty']);
    assert.deepEqual(Object.keys(code('SQL', 'select 1')), ['kind', 'label', 'text']);
    const metrics = metricsOf(['queries', 1], false, ['failed', 1, 'warn']);
    assert.deepEqual(metrics.kind === 'metrics' && metrics.metrics, [
      { label: 'queries', value: 1 },
      { label: 'failed', value: 1, tone: 'warn' },
    ]);
  });

  it("name a table's columns, each with its cell", () => {
    const shown = table('Lines', ['a', 'b'], {
      columns: [
        column.number('Duration', (_, index) => index),
        column.wide('Message', (text) => text),
        column.minor('Channel', () => ''),
      ],
      row: (text) => (text === 'a' ? {} : { tone: 'warn' }),
    });
    assert.deepEqual(shown.rows, [{ cells: [0, 'a', ''] }, { tone: 'warn', cells: [1, 'b', ''] }]);
    assert.deepEqual(shown.columns, [
      { label: 'Duration', align: 'end' },
      { label: 'Message', grow: true },
      { label: 'Channel', minor: true },
    ]);
  });

  it('are grouped under a heading, one or several', () => {
    assert.deepEqual(section('Facts', line('a')), { kind: 'section', title: 'Facts', blocks: [line('a')] });
    assert.deepEqual(section('Facts', [], { count: 0, folded: true }), {
      kind: 'section',
      title: 'Facts',
      count: 0,
      folded: true,
      blocks: [],
    });
  });

  it('say in their caption how many of how many are shown', () => {
    assert.equal(captionOf('Calls', { shown: 3, more: 0 }), 'Calls');
    assert.equal(captionOf('Calls', { shown: 3, more: 1200 }), 'Calls, the first 3 of 1,203');
    const columns = [{ label: 'n', cell: (n: number) => n }];
    assert.equal(table('Calls', [1, 2], { columns }).isCut, undefined);
    const cut = table('Calls', [1, 2], { columns, more: 5 });
    assert.deepEqual([cut.caption, cut.isCut], ['Calls, the first 2 of 7', true]);
    const one = table('Calls', [1, 2], { columns, more: 1 });
    assert.deepEqual([one.caption, one.isCut], ['Calls, the first 2 of 3', true]);
  });

  it('have a text instead of rows, and a folded section, only if given', () => {
    const columns = [{ label: 'n', cell: (n: number) => n }];
    assert.equal('empty' in table('Calls', [], { columns }), false);
    assert.equal(table('Calls', [], { columns, empty: 'none' }).empty, 'none');
    assert.equal('folded' in tableSection('Calls', [], { columns }), false);
    const folded = tableSection('Calls', [1, 2], { columns, folded: true });
    assert.deepEqual(folded.kind === 'section' && [folded.folded, folded.count], [true, 2]);
  });
});

const none = createEditorLinker(undefined);
const editor = createEditorLinker('vscode');
const own = resolve('src/home.ts');

describe('a source location', () => {
  it('is relative to the working directory, with its function if known', () => {
    const location = { file: own, line: 30, column: 5 };
    assert.equal(locationValue({ ...location, name: 'showHome' }, none).text, 'showHome (src/home.ts:30)');
    for (const name of ['', null, undefined])
      assert.equal(locationValue({ ...location, name }, none).text, 'src/home.ts:30');
    assert.equal(locationValue({ ...location, file: '/elsewhere/a.ts' }, none).text, '/elsewhere/a.ts:30');
  });

  it('without a file is its function alone, or a dash', () => {
    assert.deepEqual(locationValue({ name: 'run', file: '', line: 0, column: 0 }, editor), {
      text: 'run',
      mono: true,
    });
    assert.deepEqual(locationValue({ name: null, file: '', line: 0, column: 0 }, editor), {
      text: '–',
      mono: true,
    });
  });

  it('links to the editor if one is configured', () => {
    assert.equal(locationValue({ file: own, line: 3, column: 4 }, none).href, undefined);
    assert.match(
      locationValue({ file: own, line: 3, column: 4 }, editor).href ?? '',
      /^vscode:\/\/file\/.*home\.ts:3:4$/,
    );
  });

  it('is one of a call stack, innermost first', () => {
    const sites = [1, 2, 3].map((line) => ({ name: null, file: own, line, column: 1 }));
    assert.deepEqual(
      callSitePairs({ callSite: sites }, { editor: none }).map(([key, { text }]) => [key, text]),
      [
        ['Sent from', 'src/home.ts:1'],
        ['Called by', 'src/home.ts:2'],
        ['Called by', 'src/home.ts:3'],
      ],
    );
    const remembered = { callSite: sites.slice(0, 1), isRemembered: true } as const;
    assert.deepEqual(
      callSitePairs(remembered, { editor: none }).map(([key]) => key),
      ['Sent from, as before'],
    );
    assert.deepEqual(callSitePairs({ callSite: [] }, { editor: none }), []);
  });
});
