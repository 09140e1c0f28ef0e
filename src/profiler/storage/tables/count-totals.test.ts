import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProfileTotals, TotalsQuery } from '../../model/profile-query.js';
import { countTotals } from './count-totals.js';

type Row = Readonly<Record<string, unknown>>;

/** Returns the totals for these database answers, one per statement, and the statements with their values. */
async function counted(
  query: TotalsQuery,
  ...answers: readonly (readonly Row[])[]
): Promise<{
  readonly totals: ProfileTotals;
  readonly asked: readonly (readonly [sql: string, values: readonly unknown[]])[];
}> {
  const asked: (readonly [string, readonly unknown[]])[] = [];
  const tables = {
    run: async (sql: string, values: readonly unknown[]) => {
      asked.push([sql.replace(/\s+/g, ' ').trim(), [...values]]);
      return answers[asked.length - 1] ?? [];
    },
    floor: (expression: string) => `floor(${expression})`,
  } as unknown as Parameters<typeof countTotals>[0]; // the part that is used
  return { totals: await countTotals(tables, query), asked };
}

const cell = { count: 2, failed: 1, longest: 20, first: 100, last: 300, position: 7, duration_class: 5 };

describe('record totals', () => {
  it('are grouped, with their cells added up, durations in ascending order, and the newest token', async () => {
    const rows = [
      { ...cell, route: 'home' },
      { ...cell, route: 'home', count: '3', failed: '0', longest: '5.5', first: 50, last: 200, position: 9 },
      { ...cell, route: null, count: 9 },
    ];
    const { totals, asked } = await counted({ groupBy: ['route'] }, rows, [
      { position: '9', token: 'abc009' },
    ]);
    assert.deepEqual(totals, {
      complete: true,
      groups: [
        {
          values: [null],
          count: 9,
          failed: 1,
          firstAt: 100,
          lastAt: 300,
          durations: [[20, 9]],
          steps: [],
          lastToken: '',
        },
        {
          values: ['home'],
          count: 5,
          failed: 1,
          firstAt: 50,
          lastAt: 300,
          durations: [
            [5.5, 3],
            [20, 2],
          ],
          steps: [],
          lastToken: 'abc009',
        },
      ],
    });
    const [first, values] = asked[0] ?? ['', []];
    const [second, positions] = asked[1] ?? ['', []];
    assert.match(
      first,
      /^SELECT route, count\(\*\) AS count, sum\(CASE WHEN status >= 500 OR \(status < 300 AND error_class IS NOT NULL\) THEN 1 ELSE 0 END\) AS failed, .*max\(position\) AS position FROM @record WHERE origin = \$1 GROUP BY route, duration_class$/,
    );
    assert.deepEqual(values, ['app']);
    assert.match(second, /position IN \(\$1, \$2\)$/);
    assert.deepEqual(positions, [7, 9]);
  });

  it('have a count per time step, within the steps', async () => {
    const steps = { from: 1000, stepMs: 10, count: 3 };
    const inSteps = [
      { step: 0, count: 4, failed: 1 },
      { step: '2', count: '5', failed: '2' },
      { step: 3, count: 9, failed: 9 },
    ];
    const { totals, asked } = await counted({ steps, origin: 'profiler' }, [cell], inSteps);
    assert.deepEqual(totals.groups[0]?.steps, [
      [4, 1],
      [0, 0],
      [5, 2],
    ]);
    const [sql, values] = asked[1] ?? ['', []];
    assert.match(sql, /floor\(\(started_at - 1000\) \/ 10\) AS step, .* GROUP BY step$/);
    assert.match(sql, /started_at >= \$2 AND closed_at >= \$3 AND started_at < \$4/);
    assert.deepEqual(values, ['profiler', 1000, 1000, 1030]);
  });

  it('query nothing else if only counts are needed', async () => {
    const { totals, asked } = await counted({ isCountOnly: true }, [{ count: 3, failed: 1 }]);
    assert.deepEqual([asked.length, totals.groups[0]?.count, totals.groups[0]?.durations], [1, 3, []]);
    assert.match(asked[0]?.[0] ?? '', /FROM @record WHERE origin = \$1$/);
    const none = await counted({ isCountOnly: true }, [{ count: 0, failed: null }]);
    assert.deepEqual(none.totals, { complete: true, groups: [] });
  });

  it('are limited to the thousand largest groups, and say that there are more', async () => {
    const rows = (count: number): readonly Row[] =>
      Array.from({ length: count }, (_, at) => ({ ...cell, route: `r${at}`, count: at + 1 }));
    const all = await counted({ groupBy: ['route'] }, rows(1000));
    assert.deepEqual([all.totals.complete, all.totals.groups.length], [true, 1000]);
    const { totals } = await counted({ groupBy: ['route'] }, rows(1001));
    assert.deepEqual(
      [totals.complete, totals.groups.length, totals.groups[0]?.count, totals.groups.at(-1)?.count],
      [false, 1000, 1001, 2],
    );
    const unknown = await counted({ groupBy: ['gone'] }, [cell]);
    assert.match(unknown.asked[0]?.[0] ?? '', /^SELECT CAST\(NULL AS TEXT\), /);
  });
});
