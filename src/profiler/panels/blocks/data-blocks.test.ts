import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dataBlocks } from './data-blocks.js';

describe('dataBlocks', () => {
  it('shows a list of objects as a table, an object as pairs with its lists as sections', () => {
    const blocks = dataBlocks('mail', { sent: 2, to: [{ name: 'ada' }, { name: 'bob', bcc: true }] });
    assert.deepEqual(
      blocks.map((block) => block.kind),
      ['pairs', 'section'],
    );
    const table = blocks[1]?.kind === 'section' ? blocks[1].blocks[0] : undefined;
    assert.ok(table?.kind === 'table');
    assert.deepEqual(
      table.columns.map((column) => column.label),
      ['name', 'bcc'],
    );
    assert.equal(table.rows.length, 2);
  });

  it('takes any JSON and is bounded', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => assert.ok(dataBlocks('x', value).length > 0)));
    const [table] = dataBlocks(
      'x',
      Array.from({ length: 5_000 }, (_, index) => index),
    );
    assert.ok(table?.kind === 'table' && table.rows.length === 200 && table.caption.includes('of 5,000'));
  });

  it('reads own keys only', () => {
    const [table] = dataBlocks('x', [JSON.parse('{"__proto__": {"a": 1}, "b": 2}')]);
    assert.ok(table?.kind === 'table');
    assert.deepEqual(
      table.columns.map((column) => column.label),
      ['__proto__', 'b'],
    );
  });
});
