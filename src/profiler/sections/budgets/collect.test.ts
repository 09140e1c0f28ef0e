import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import { recordWith } from '../../../../test/profiler/shown-sections.js';
import type { Budgets, Section } from '../section.js';
import type { Recording } from '../../model/recording.js';
import { createBudgetCollector } from './collect.js';

const query = channel('lookback:persistence:query');

describe('budgets', () => {
  const counting: Section = {
    id: 'shop',
    numbers: { ms: { kind: 'ms', of: () => 2.5 } },
    collect: () => ({}),
  };
  const exceeded = async (
    budgets: Budgets,
    route: string | null = 'blog_show',
  ): Promise<readonly unknown[]> => {
    const during = (recording: Recording): void => {
      recording.route({ name: route, path: '/' });
      for (let count = 0; count < 9; count++) query.publish({ sql: 'select 1', durationMs: 0 });
    };
    const record = await recordWith([counting], during, { budgets });
    const { exceeded: found = [] } = (record.sections['budget'] ?? {}) as {
      exceeded?: { what: string; value: number; limit: number }[];
    }; // the type that the collector stores
    return found.map(({ what, value, limit }) => [what, value, limit]);
  };

  it('apply by route, by prefix of its name, and to all, longest pattern first', async () => {
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
    assert.deepEqual(await exceeded({ blog_show: { 'shop.ms': 2, 'shop.none': 0, queries: 9 } }), [
      ['shop.ms', 2.5, 2],
    ]);
  });

  it('are not checked while the request is in flight', () => {
    const collector = createBudgetCollector({ '*': { durationMs: 0 } });
    assert.equal(collector.collect({} as Recording), undefined);
  });
});
