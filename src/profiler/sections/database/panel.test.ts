import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dump } from '#core/dump';
import type { EditorLinker } from '#core/errors';
import { panelOutline } from '../../../../test/profiler/page-outline.js';
import { badgeOf, query, shown, textOf } from '../../../../test/profiler/plain-record.js';
import { dbPanel, foldQueries } from './panel.js';
import fc from 'fast-check';
import type { DbQuery, DbSection } from './queries.js';

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

describe('the database panel', () => {
  const text = (section: DbSection, asked?: Readonly<Record<string, string>>): string =>
    textOf(dbPanel, { sections: { db: section } }, asked);
  const badge = (section: DbSection): unknown => badgeOf(dbPanel, { sections: { db: section } });

  it('warns of failed queries before repeated ones before mere numbers', () => {
    const group = { kind: 'n+1', sql: 's', count: 9, durationMs: 1, callSite: null, queries: [0] } as const;
    assert.equal(badge(dbOf([])), undefined);
    assert.deepEqual(badge(dbOf([query()])), { count: 1, tone: 'neutral', words: '1 query' });
    assert.deepEqual(badge(dbOf([query()], {}, [group])), { count: 1, tone: 'warn', words: 'N+1 ×9' });
    assert.deepEqual(badge(dbOf([query()], { failed: 2 }, [group])), {
      count: 1,
      tone: 'error',
      words: '2 failed queries',
    });
    assert.match(textOf(dbPanel, {}), /No queries\. .*docs\/guides\/instrumentation\.md/);
  });

  it('fills values into the statement, and says which it could not', () => {
    assert.match(text(dbOf([query()])), /id = 1/);
    const hidden = query({ params: [{ name: 'password', value: { type: 'redacted', text: '[redacted]' } }] });
    assert.match(text(dbOf([hidden])), /1 value could not be filled in[^]*id = \?[^]*password/);
  });

  it('folds queries with the same shape, keeps failed ones separate, and counts those not kept', () => {
    const many = Array.from({ length: 8 }, (_, at) => query({ params: [{ name: 'id', value: dump(at) }] }));
    const section = dbOf([...many, query({ error: 'no such table' })], { queries: 12, failed: 1 });
    const found = text(section);
    assert.match(found, /×8/);
    assert.match(found, /no such table/);
    assert.match(found, /3 further queries are in the JSON form/);
    assert.match(found, /3 further queries were counted, but not kept/);
  });

  it('shows the page with the linked query', () => {
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

  it('counts writes', () => {
    const changes = [{ action: 'create', entity: 'Article', id: '7', values: dump({ title: 'Soup' }) }];
    const found = textOf(dbPanel, {
      sections: { db: { ...dbOf([query()], { created: 1, flushes: 1, commits: 1 }), changes } },
    });
    assert.match(found, /Flushes: 1, commits: 1, rollbacks: 0[^]*Changes written[^]*`Article` \| `7`/);
  });
});

describe('folded queries', () => {
  it('are each in one fold, ordered by first use, by connection', () => {
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

const callSite = [{ name: 'show', file: '/srv/app/shop.ts', line: 3, column: 7 }];
const editor: EditorLinker = (file, line, column) => ({
  href: `vscode://file${file}:${line}:${column}`,
  scheme: 'vscode',
});

describe("the database panel's content", () => {
  const totals = {
    queries: 9,
    failed: 1,
    durationMs: 30,
    flushes: 1,
    flushMs: 1,
    commits: 2,
    rollbacks: 0,
    created: 1,
    updated: 1,
    removed: 0,
  };
  const queries = [
    ...[1, 2, 3, 4, 5, 6, 7].map((id) =>
      query({ callSite, startedAt: 1000 + id, params: [{ name: 'id', value: dump(id) }], durationMs: id }),
    ),
    query({
      sql: 'insert into b values (?)',
      error: 'no such table',
      rows: null,
      params: [{ name: null, value: dump('x') }],
      startedAt: 1030,
    }),
  ];
  const groups = [
    {
      kind: 'n+1' as const,
      sql: 'select ?',
      count: 7,
      durationMs: 28,
      callSite: callSite[0] ?? null,
      queries: [0],
    },
  ];
  const changes = [{ action: 'update', entity: 'Author', id: '3', values: dump({ name: 'Ada' }) }];
  const sections = { db: { queries, groups, changes, totals } };

  it('has repeated queries first, then each statement with its queries, then the writes', () => {
    assert.equal(
      panelOutline(dbPanel, { sections }, {}, { editor }),
      `
| queries
| 9
| in the database
| 30.0 ms
div .tone-error
  | failed
  | 1
p .muted: Flushes: 1, commits: 2, rollbacks: 0
li .note-warn
  svg viewBox=0 0 24 24 aria-hidden=true
    path d=M12 3a9 9 0 1 0 .01 0zM12 7.5v5.5m0 3v.2
  strong
    | Warning:
    a href=vscode://file/srv/app/shop.ts:3:1: /srv/app/shop.ts:3
    a href=?panel=db#query-1: ran the same query 7 times (28.0 ms)
  | select ?
div role=group aria-label=Statements in the order of their first query tabindex=0
  table
    caption: Statements in the order of their first query
    th scope=col: Statement
    th scope=col .minor: Sent from
    th scope=col .end: Times
    th scope=col .end: Rows
    th scope=col .end: Time
    tr id=query-1
      details open
        summary
          | select
          | *
          | from
          | a
          | where
          | id = ?
        figure
          figcaption
            | SQL
            button type=button data-copy-block hidden: Copy
          pre tabindex=0 aria-label=SQL
            | select
            | *
            | from
            | a
            | where
            | id = 1
        dl aria-label=Query
          | Connection
          | main
          | Sent from
          a href=vscode://file/srv/app/shop.ts:3:7: show (/srv/app/shop.ts:3)
        div role=group aria-label=Queries of this statement tabindex=0
          table
            caption: Queries of this statement
            th scope=col: Values
            th scope=col .end: Rows
            th scope=col .end: Duration
            th scope=col .end: Start
            | id = 1
            td .end: 1
            td .end: 1.00 ms
            td .end
              span .muted: 1.00 ms
            tr id=query-2
              | id = 2
              td .end: 1
              td .end: 2.00 ms
              td .end
                span .muted: 2.00 ms
            tr id=query-3
              | id = 3
              td .end: 1
              td .end: 3.00 ms
              td .end
                span .muted: 3.00 ms
            tr id=query-4
              | id = 4
              td .end: 1
              td .end: 4.00 ms
              td .end
                span .muted: 4.00 ms
            tr id=query-5
              | id = 5
              td .end: 1
              td .end: 5.00 ms
              td .end
                span .muted: 5.00 ms
        p .muted: 2 further queries are in the JSON form.
      td .minor
        a href=vscode://file/srv/app/shop.ts:3:7: /srv/app/shop.ts:3
      td .end
        span .tone-warn: ×7
      td .end: 7
      td .end
        | 28.0 ms · 14 %
        svg aria-hidden=true
          rect width=14% height=6
    tr .row-error id=query-8
      details
        summary
          | insert
          | into
          | b
          | values
          | (?)
        figure
          figcaption
            | SQL
            button type=button data-copy-block hidden: Copy
          pre tabindex=0 aria-label=SQL
            | insert
            | into
            | b
            | values
            | ('x')
        dl aria-label=Query
          | Error
          span .tone-error: no such table
          | Connection
          | main
      td .minor
        span .muted: –
      td .end
        span .muted: 1
      td .end
        span .muted: –
      td .end
        | 2.00 ms · 1 %
        svg aria-hidden=true
          rect width=1% height=6
p .note-warn: 1 further query was counted, but not kept.
h3
  | Changes written
  | 2
div role=group aria-label=Changes written tabindex=0
  table
    caption: Changes written
    th scope=col: Action
    th scope=col: Entity
    th scope=col: Id
    | update
    | Author
    details
      summary: 3
      dl aria-label=Values
        | Values
        details open
          summary
            | {
            | …}
          | name
          | :
          | &quot;Ada&quot;
          | }
`,
    );
  });

  it('has the query named in the URL, unfolded, on its page and among those of its statement', () => {
    assert.equal(
      panelOutline(
        dbPanel,
        { sections: { db: { ...sections.db, groups: [], changes: [] } } },
        { at: 'query-7' },
      ),
      `
| queries
| 9
| in the database
| 30.0 ms
div .tone-error
  | failed
  | 1
p .muted: Flushes: 1, commits: 2, rollbacks: 0
div role=group aria-label=Statements in the order of their first query tabindex=0
  table
    caption: Statements in the order of their first query
    th scope=col: Statement
    th scope=col .minor: Sent from
    th scope=col .end: Times
    th scope=col .end: Rows
    th scope=col .end: Time
    tr id=query-1
      details open
        summary
          | select
          | *
          | from
          | a
          | where
          | id = ?
        figure
          figcaption
            | SQL
            button type=button data-copy-block hidden: Copy
          pre tabindex=0 aria-label=SQL
            | select
            | *
            | from
            | a
            | where
            | id = 1
        dl aria-label=Query
          | Connection
          | main
          | Sent from
          | show (/srv/app/shop.ts:3)
        div role=group aria-label=Queries of this statement tabindex=0
          table
            caption: Queries of this statement
            th scope=col: Values
            th scope=col .end: Rows
            th scope=col .end: Duration
            th scope=col .end: Start
            tr id=query-7
              | id = 7
              td .end: 1
              td .end: 7.00 ms
              td .end
                span .muted: 7.00 ms
        p .muted: 6 further queries are in the JSON form.
      td .minor: /srv/app/shop.ts:3
      td .end
        span .tone-warn: ×7
      td .end: 7
      td .end
        | 28.0 ms · 14 %
        svg aria-hidden=true
          rect width=14% height=6
    tr .row-error id=query-8
      details
        summary
          | insert
          | into
          | b
          | values
          | (?)
        figure
          figcaption
            | SQL
            button type=button data-copy-block hidden: Copy
          pre tabindex=0 aria-label=SQL
            | insert
            | into
            | b
            | values
            | ('x')
        dl aria-label=Query
          | Error
          span .tone-error: no such table
          | Connection
          | main
      td .minor
        span .muted: –
      td .end
        span .muted: 1
      td .end
        span .muted: –
      td .end
        | 2.00 ms · 1 %
        svg aria-hidden=true
          rect width=1% height=6
p .note-warn: 1 further query was counted, but not kept.
`,
    );
  });

  it("has a button for an explainable query's plan, or the plan", () => {
    const explain = { href: '/explain', knows: (name: string) => name === 'main' };
    const outline = panelOutline(dbPanel, { sections }, {}, { explain });
    assert.match(
      outline,
      /form method=post action=\/explain#query-1\n +input type=hidden name=query value=0\n +button type=submit: Explain/,
    );
    assert.equal(outline.split('submit: Explain').length, 2); // not for the insert
    const plan = { query: 0, blocks: [{ kind: 'note', text: 'SCAN a', tone: 'info' }] } as const;
    assert.match(
      panelOutline(dbPanel, { sections }, {}, { explain: { ...explain, plan } }),
      /details open\n[^]*SCAN a/,
    );
    assert.doesNotMatch(
      panelOutline(dbPanel, { sections }, {}, { explain: { ...explain, knows: () => false } }),
      /submit: Explain/,
    );
  });

  it('has in its badge the failures, otherwise a loop, otherwise the number of queries', () => {
    assert.deepEqual(badgeOf(dbPanel, { sections }), { count: 9, tone: 'error', words: '1 failed query' });
    const fine = { ...sections.db, totals: { ...totals, failed: 0 } };
    assert.deepEqual(badgeOf(dbPanel, { sections: { db: fine } }), {
      count: 9,
      tone: 'warn',
      words: 'N+1 ×7',
    });
    assert.deepEqual(
      badgeOf(dbPanel, { sections: { db: { ...fine, groups: [{ ...groups[0], kind: 'duplicate' }] } } }),
      {
        count: 9,
        tone: 'neutral',
        words: '9 queries',
      },
    );
  });
});
