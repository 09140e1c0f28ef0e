import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dump } from '#dump';
import { badgeOf, query, shown, textOf } from '../../../test/profiler/plain-record.js';
import type { DbQuery, DbSection } from '../collectors/db-section.js';
import { dbPanel, foldQueries } from './db-panel.js';

function dbOf(
  queries: readonly DbQuery[],
  more: Partial<DbSection['totals']> = {},
  groups: DbSection['groups'] = [],
): DbSection {
  const totals = {
    queries: queries.length,
    failed: 0,
    durationMs: 2,
    flushes: 0,
    flushMs: 0,
    commits: 0,
    rollbacks: 0,
    created: 0,
    updated: 0,
    removed: 0,
    ...more,
  };
  return { queries, groups, changes: [], totals };
}

describe('the panel of the database', () => {
  const text = (section: DbSection, asked?: Readonly<Record<string, string>>): string =>
    textOf(dbPanel, { sections: { db: section } }, asked);
  const badge = (section: DbSection): unknown => badgeOf(dbPanel, { sections: { db: section } });

  it('warns of what failed before what repeats itself before how much there was', () => {
    const group = { kind: 'n+1', sql: 's', count: 9, durationMs: 1, callSite: null, queries: [0] } as const;
    assert.equal(badge(dbOf([])), undefined);
    assert.deepEqual(badge(dbOf([query()])), { count: 1, tone: 'neutral', words: '1 query' });
    assert.deepEqual(badge(dbOf([query()], {}, [group])), { count: 1, tone: 'warn', words: 'N+1 ×9' });
    assert.deepEqual(badge(dbOf([query()], { failed: 2 }, [group])), {
      count: 1,
      tone: 'error',
      words: '2 failed queries',
    });
    assert.match(textOf(dbPanel, {}), /No queries\. .*docs\/taps\.md/);
  });

  it('puts values into the statement, and says which it could not', () => {
    assert.match(text(dbOf([query()])), /id = 1/);
    const hidden = query({ params: [{ name: 'password', value: { type: 'redacted', text: '[redacted]' } }] });
    assert.match(text(dbOf([hidden])), /1 value could not be put in[^]*id = \?[^]*password/);
  });

  it('folds queries of one shape, keeps what failed separate, and counts those that were not kept', () => {
    const many = Array.from({ length: 8 }, (_, at) => query({ params: [{ name: 'id', value: dump(at) }] }));
    const section = dbOf([...many, query({ error: 'no such table' })], { queries: 12, failed: 1 });
    const found = text(section);
    assert.match(found, /×8/);
    assert.match(found, /no such table/);
    assert.match(found, /3 further queries are in the JSON form/);
    assert.match(found, /3 further queries were counted, but not kept/);
  });

  it('shows the page of the query that a link leads to', () => {
    const many = Array.from({ length: 40 }, (_, at) => query({ sql: `select ${'x'.repeat(at + 1)} from t` }));
    const section = dbOf(many);
    const first = (asked: Readonly<Record<string, string>>): string | undefined =>
      shown(dbPanel, { sections: { db: section } }, asked).flatMap((block) =>
        block.kind === 'table' ? block.rows : [],
      )[0]?.anchor;
    assert.deepEqual(
      [first({}), first({ page: '2' }), first({ at: 'query-33' })],
      ['query-1', 'query-16', 'query-31'],
    );
  });

  it('counts what was written', () => {
    const changes = [{ action: 'create', entity: 'Article', id: '7', values: dump({ title: 'Soup' }) }];
    const found = textOf(dbPanel, {
      sections: { db: { ...dbOf([query()], { created: 1, flushes: 1, commits: 1 }), changes } },
    });
    assert.match(found, /Flushes: 1, commits: 1, rollbacks: 0[^]*Changes written[^]*`Article` \| `7`/);
  });
});

describe('queries that are folded', () => {
  it('are each in one fold, in the order of the first, by connection', () => {
    const sql = fc.constantFrom('select 1', 'select 2', 'select a from b', 'select c');
    const any = fc.record({
      sql,
      connection: fc.constantFrom('x', 'y'),
      error: fc.constantFrom(null, null, 'broken'),
      rows: fc.option(fc.nat(5)),
      durationMs: fc.nat(5),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), (given) => {
        const queries = given.map((changes) => query(changes));
        const folds = foldQueries(queries);
        assert.deepEqual(
          folds.flatMap((fold) => fold.queries.map(({ index }) => index)).toSorted((a, b) => a - b),
          queries.map((_, at) => at),
        );
        const firsts = folds.map((fold) => fold.queries[0].index);
        assert.deepEqual(
          firsts,
          firsts.toSorted((a, b) => a - b),
        );
        for (const { queries: members, durationMs, rows } of folds) {
          for (const { index, anchor, ...own } of members)
            assert.deepEqual([own, anchor], [queries[index], `query-${index + 1}`]);
          assert.equal(new Set(members.map(({ connection }) => connection)).size, 1);
          assert.equal(
            durationMs,
            members.reduce((sum, one) => sum + one.durationMs, 0),
          );
          const known = members.flatMap((one) => one.rows ?? []);
          assert.equal(rows, known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0));
          assert.ok(members[0].error === null || members.length === 1);
        }
      }),
    );
  });
});
