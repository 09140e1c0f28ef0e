import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPlan } from './read-plan.js';

const byOrder = 'SELECT * FROM order_item WHERE order_id = ?';

describe('a query plan', () => {
  it('of SQLite names the table that is scanned, and the index that would help', () => {
    assert.deepEqual(readPlan('SCAN order_item', byOrder), {
      table: 'order_item',
      advice: 'No index fits; an index on order_item(order_id) would help.',
    });
    assert.equal(
      readPlan('SCAN i', 'select * from order_item as i where i.order_id = 7')?.table,
      'order_item',
    );
    assert.deepEqual(
      readPlan('SCAN order_item\nUSE TEMP B-TREE FOR ORDER BY', 'select * from order_item order by id'),
      {
        table: 'order_item',
        advice: undefined,
      },
    );
  });

  it('of PostgreSQL names the table, without promising that the planner will use an index', () => {
    const text =
      'Gather  (cost=1000..4828 rows=2)\n  ->  Parallel Seq Scan on order_item  (cost=0..1 rows=1)\n        Filter: (order_id = 82321)';
    const found = readPlan(text, 'SELECT * FROM order_item WHERE order_id = $1');
    assert.equal(found?.table, 'order_item');
    assert.match(found?.advice ?? '', /^An index on order_item\(order_id\) would help, if there is none yet/);
    const json =
      '[{"Plan": {"Node Type": "Seq Scan", "Parallel Aware": false, "Relation Name": "order_item", "Alias": "order_item"}}]';
    assert.equal(readPlan(json, 'SELECT * FROM order_item WHERE order_id = $1')?.table, 'order_item');
  });

  it('yields nothing if an index is used, the statement may stop early, or the plan is ambiguous', () => {
    for (const [plan, sql] of [
      ['SEARCH order_item USING INDEX by_order (order_id=?)', byOrder],
      ['SCAN order_item USING COVERING INDEX by_order', byOrder],
      ['Index Scan using by_order on order_item  (cost=0..8)', byOrder],
      ['SCAN orders', 'SELECT * FROM orders LIMIT 20'],
      ['Limit\n  ->  Seq Scan on orders', 'SELECT * FROM orders LIMIT 20'],
      ['SCAN CONSTANT ROW', 'SELECT 1'],
      ['SCAN a\nSCAN b', 'SELECT * FROM a, b WHERE a.x = b.y'],
      ['SCAN t', 'SELECT 1 WHERE EXISTS (SELECT 1 FROM t WHERE a = ?)'],
      ['SCAN t', 'WITH t AS (SELECT 1) SELECT * FROM t'],
      ['SCAN t VIRTUAL TABLE INDEX 0:', 'SELECT * FROM t'],
      ['', byOrder],
    ] as const)
      assert.equal(readPlan(plan, sql), undefined, `${plan} | ${sql}`);
  });

  it('suggests no index for conditions other than one column that equals a value', () => {
    for (const where of ['a = ? OR b = ?', 'a = ? AND b = ?', 'lower(a) = ?', 'a > ?', 'a = b', 'NOT a = ?'])
      assert.deepEqual(
        readPlan('SCAN t', `SELECT * FROM t WHERE ${where}`),
        { table: 't', advice: undefined },
        where,
      );
  });
});
