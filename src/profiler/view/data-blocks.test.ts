import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { indentJson, pageOf, pagesBlock } from './data-blocks.js';

describe('indentJson', () => {
  it('puts members on separate lines and leaves everything else as it was sent', () => {
    assert.equal(
      indentJson('{"a":[1,{"b":"x, y: {z}"}],"a":12345678901234567890,"e":{},"f":[ ]}'),
      [
        '{',
        '  "a": [',
        '    1,',
        '    {',
        '      "b": "x, y: {z}"',
        '    }',
        '  ],',
        '  "a": 12345678901234567890,',
        '  "e": {},',
        '  "f": [ ]',
        '}',
      ].join('\n'),
    );
    for (const text of ['', '12', '"text"', '{\n "a": 1}', 'no JSON at all'])
      assert.equal(indentJson(text), text);
    assert.equal(indentJson('{"cut": "in the mid'), '{\n  "cut": "in the mid');
  });

  it('keeps the meaning of any JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        assert.deepEqual(JSON.parse(indentJson(text)), JSON.parse(text));
      }),
    );
  });

  it('is bounded for hostile depth', () => {
    assert.ok(indentJson('['.repeat(65_536)).length < 65_536 * 60);
  });
});

describe('list pages', () => {
  it('contain every entry once, and the requested one', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.integer({ min: 1, max: 30 }), fc.nat(250), (total, size, at) => {
        const { pages } = pageOf({ total, size, wanted: '', at: -1 });
        const seen = Array.from({ length: pages }, (_, page) =>
          pageOf({ total, size, wanted: String(page + 1), at: -1 }),
        ).flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index));
        assert.deepEqual(
          seen,
          Array.from({ length: total }, (_, index) => index),
        );
        const page = pageOf({ total, size, wanted: '1', at });
        if (at < total) assert.ok(page.from <= at && at < page.to);
        const block = pagesBlock(page, String);
        const links = block?.kind === 'filters' ? block.filters : [];
        assert.equal(links.length === 0, pages === 1);
        assert.equal(links.filter(({ chosen }) => chosen).length, pages === 1 ? 0 : 1);
        assert.equal(new Set(links.map(({ href }) => href)).size, links.length);
      }),
    );
  });

  it('link to the first, the last, and adjacent pages', () => {
    const block = pagesBlock(pageOf({ total: 100, size: 10, wanted: '5', at: -1 }), String);
    assert.ok(block?.kind === 'filters');
    assert.deepEqual(
      block.filters.map(({ href }) => href),
      ['1', '4', '5', '6', '10'],
    );
  });
});
