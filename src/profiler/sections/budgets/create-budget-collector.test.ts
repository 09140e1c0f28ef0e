import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordWith } from '../../../../test/profiler/shown-sections.js';
import type { Budgets, Collector } from '../../model/collector.js';
import type { Recording } from '../../model/recording.js';
import { createBudgetCollector } from './create-budget-collector.js';

describe('budgets', () => {
  const counting: Collector = {
    name: 'db',
    part: { summary: { queries: { kind: 'count', of: () => 9 }, ms: { kind: 'ms', of: () => 2.5 } } },
    collect: () => ({}),
  };
  const exceeded = async (
    budgets: Budgets,
    route: string | null = 'blog_show',
  ): Promise<readonly unknown[]> => {
    const record = await recordWith([counting], (recording) => recording.route({ name: route, path: '/' }), {
      budgets,
    });
    const { exceeded: found = [] } = (record.sections['budget'] ?? {}) as {
      exceeded?: { what: string; value: number; limit: number }[];
    }; // as it is collected
    return found.map(({ what, value, limit }) => [what, value, limit]);
  };

  it('are those of the route, of the beginning of its name, and of all, the longest first', async () => {
    assert.deepEqual(await exceeded({ '*': { queries: 5 } }), [['queries', 9, 5]]);
    assert.deepEqual(await exceeded({ '*': { queries: 5 }, 'blog_*': { queries: 20 } }), []);
    assert.deepEqual(await exceeded({ 'blog_*': { queries: 20 }, blog_show: { queries: 8 } }), [
      ['queries', 9, 8],
    ]);
    assert.deepEqual(await exceeded({ 'blog_*': { bytes: 3 }, blog_show: { queries: 8 } }), [
      ['bytes', 4, 3],
      ['queries', 9, 8],
    ]);
    assert.deepEqual(await exceeded({ other: { queries: 0 }, 'blog_s*x': { queries: 0 } }), []);
    assert.deepEqual(await exceeded({ '*': { queries: 5 } }, null), [['queries', 9, 5]]);
    assert.deepEqual(await exceeded({ blog_show: { 'db.ms': 2, 'db.none': 0, queries: 9 } }), [
      ['db.ms', 2.5, 2],
    ]);
  });

  it('are not asked about while the request is under way', () => {
    const collector = createBudgetCollector({ '*': { durationMs: 0 } });
    assert.equal(collector.collect({} as Recording), undefined);
  });
});
