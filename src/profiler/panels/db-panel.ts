import { queryAnchor } from '../collectors/db-part.js';
import type { DbChange, DbGroup, DbQuery, DbSection } from '../collectors/db-section.js';
import { formatMilliseconds } from '../words/format.js';
import { say } from '../words/say.js';
import type { Block, Finding, Row, Value } from './blocks/block.js';
import { icons } from './blocks/icons.js';
import { pageOf, pagesBlock } from './blocks/pages.js';
import { callSitePairs, placeValue } from './blocks/place-value.js';
import { mono, note, section } from './blocks/make-blocks.js';
import { explainBlocks, explainNote } from './explain-blocks.js';
import type { Panel, PanelBadge, PanelContext } from './panel.js';
import { createSectionPanel } from './section-panel.js';
import { type FoldedQueries, foldQueries } from './sql/fold-queries.js';
import { fillSql } from './sql/fill-sql.js';
import { formatSql } from './sql/format-sql.js';

/** Statements on a page, and queries of one statement that are listed one by one. */
const maxRows = 15;
const maxMembers = 5;
/** Groups that are listed above the statements; the statements of the others are marked in their rows. */
const maxGroups = 10;

/** What the request asked its databases: repeated queries first, then each statement, then what was changed. */
export const dbPanel: Panel = createSectionPanel<DbSection>({
  id: 'db',
  title: 'Database',
  icon: icons.database,
  fields: ['queries', 'groups', 'changes', 'totals'],
  badge: (section) => (section.totals.queries === 0 ? undefined : badgeOf(section)),
  none: () => ({
    kind: 'text',
    text: say(
      'No queries. MikroORM, mysql2, Mongoose and pg report theirs; other clients by one line, recordQueries(client). See docs/taps.md.',
    ),
  }),
  show: (section, { startedAt }, context) => [
    metrics(section),
    ...transactionLine(section),
    ...(section.groups.length === 0
      ? []
      : [{ kind: 'findings' as const, findings: section.groups.slice(0, maxGroups).map(groupFinding) }]),
    ...queryBlocks(section, startedAt, context),
    ...explainNote(section.queries, context),
    ...(section.changes.length === 0 ? [] : [changeSection(section)]),
  ],
});

function badgeOf({ groups, totals }: DbSection): PanelBadge {
  const count = totals.queries;
  if (totals.failed > 0)
    return { count, tone: 'error', words: say('{n} failed query|{n} failed queries', { n: totals.failed }) };
  const worst = groups.find((group) => group.kind === 'n+1');
  if (worst !== undefined) return { count, tone: 'warn', words: `N+1 ×${worst.count}` };
  return { count, tone: 'neutral', words: say('{n} query|{n} queries', { n: count }) };
}

function metrics({ totals }: DbSection): Block {
  return {
    kind: 'metrics',
    metrics: [
      { label: say('queries'), value: totals.queries },
      { label: say('in the database'), value: formatMilliseconds(totals.durationMs) },
      ...(totals.failed > 0 ? [{ label: say('failed'), value: totals.failed, tone: 'error' as const }] : []),
    ],
  };
}

function transactionLine({ totals }: DbSection): readonly Block[] {
  const { flushes, commits, rollbacks } = totals;
  if (flushes + commits + rollbacks === 0) return [];
  return [
    {
      kind: 'text',
      text: say('Flushes: {flushes}, commits: {commits}, rollbacks: {rollbacks}', {
        flushes,
        commits,
        rollbacks,
      }),
    },
  ];
}

function groupFinding(group: DbGroup): Finding {
  const time = formatMilliseconds(group.durationMs);
  const [first = 0] = group.queries;
  const where = group.callSite === null ? '' : ` ${placeValue(group.callSite, () => undefined).text}`;
  return {
    tone: 'warn',
    title:
      group.kind === 'n+1'
        ? say(
            'N+1: {n} query of the same shape from one place, {time}|N+1: {n} queries of the same shape from one place, {time}',
            { n: group.count, time },
          )
        : say(
            'The same query with the same values, {n} time, {time}|The same query with the same values, {n} times, {time}',
            { n: group.count, time },
          ),
    detail: `${group.sql.slice(0, 300)}${where}`,
    href: `#${queryAnchor(first)}`,
  };
}

function queryBlocks(section: DbSection, began: number, context: PanelContext): readonly Block[] {
  const { queries, totals } = section;
  const folded = foldQueries(queries);
  const wanted = folded.findIndex(({ places }) =>
    places.some((place) => queryAnchor(place) === wantedAnchor(context)),
  );
  const page = pageOf({
    total: folded.length,
    size: context.isWhole === true ? Number.MAX_SAFE_INTEGER : maxRows,
    wanted: context.query('page'),
    at: wanted,
  });
  const rest = totals.queries - queries.length;
  return [
    ...pagesBlock(page, (number) => context.link('db', { page: String(number) })),
    {
      kind: 'table',
      caption: say('Statements in the order of their first query'),
      columns: [
        { label: say('Statement'), grow: true },
        { label: say('Rows'), align: 'end' },
        { label: say('Times'), align: 'end' },
        { label: say('Duration'), align: 'end' },
        { label: say('After'), align: 'end', minor: true },
      ],
      rows: folded.slice(page.from, page.to).map((fold) => foldRow(fold, { queries, began, context })),
      empty: say('No queries.'),
    },
    ...(rest > 0
      ? [
          note(
            say(
              '{n} further query was counted, but not kept.|{n} further queries were counted, but not kept.',
              {
                n: rest,
              },
            ),
            'warn',
          ),
        ]
      : []),
  ];
}

/** The query that the page is asked for. */
function wantedAnchor(context: PanelContext): string {
  const plan = context.explain?.plan;
  return plan === undefined ? context.query('at') : queryAnchor(plan.query);
}

interface QueryView {
  readonly queries: readonly DbQuery[];
  readonly began: number;
  readonly context: PanelContext;
}

function foldRow(fold: FoldedQueries, view: QueryView): Row {
  const { first, places, durationMs, failed } = fold;
  const [place = 0] = places;
  return {
    anchor: queryAnchor(place),
    tone: failed ? 'error' : 'neutral',
    cells: [
      mono(fold.sql),
      rowsText(fold.rows),
      places.length === 1
        ? { text: '1', muted: true }
        : { text: `×${places.length}`, tone: fold.isGroup ? 'warn' : 'neutral' },
      formatMilliseconds(durationMs),
      { text: formatMilliseconds(first.startedAt - view.began), muted: true },
    ],
    detail: [
      ...statementBlocks(first, view.context),
      ...explainBlocks(first, place, view.context),
      ...memberBlocks(fold, view),
    ],
    isUnfolded: places.some((member) => queryAnchor(member) === wantedAnchor(view.context)),
  };
}

/** One query: the statement with its values, as it can be run, and where it came from. */
function statementBlocks(query: DbQuery, context: PanelContext): readonly Block[] {
  const { sql, open } = fillSql(
    query.sql,
    query.params.map(({ value }) => value),
  );
  const pairs: (readonly [string, Value])[] = [
    ...(query.error === null ? [] : [[say('Error'), { text: query.error, tone: 'error' }] as const]),
    ...(open === 0
      ? []
      : query.params.map(
          ({ name, value }, index) =>
            [name ?? say('Value {n}', { n: index + 1 }), { text: '', picture: value }] as const,
        )),
    [say('Connection'), mono(query.connection)],
    ...callSitePairs(query.callSite, context),
  ];
  return [
    {
      kind: 'code',
      label:
        open === 0
          ? 'SQL'
          : say('SQL; {n} value could not be put in|SQL; {n} values could not be put in', { n: open }),
      text: formatSql(sql),
      language: 'sql',
    },
    { kind: 'pairs', label: say('Query'), pairs },
  ];
}

function memberBlocks({ places }: FoldedQueries, { queries, began, context }: QueryView): readonly Block[] {
  if (places.length === 1) return [];
  const row = (place: number): readonly Row[] => {
    const query = queries[place];
    if (query === undefined) return [];
    const values = query.params
      .map(({ name, value }) => `${name ?? '?'} = ${value.text ?? value.type}`)
      .join(', ');
    return [
      {
        ...(place === places[0] ? {} : { anchor: queryAnchor(place) }),
        tone: query.error === null ? 'neutral' : 'error',
        cells: [
          mono(query.error ?? values),
          rowsText(query.rows),
          formatMilliseconds(query.durationMs),
          { text: formatMilliseconds(query.startedAt - began), muted: true },
        ],
      },
    ];
  };
  // From the one on that a link leads to, where that is not among the first.
  const wanted = places.findIndex((place) => queryAnchor(place) === context.query('at'));
  const first = wanted < maxMembers ? 0 : wanted;
  const rest = places.length - Math.min(maxMembers, places.length - first);
  return [
    {
      kind: 'table',
      caption: say('Queries of this statement'),
      columns: [
        { label: say('Values'), grow: true },
        { label: say('Rows'), align: 'end' },
        { label: say('Duration'), align: 'end' },
        { label: say('After'), align: 'end' },
      ],
      rows: places.slice(first, first + maxMembers).flatMap(row),
    },
    ...(rest > 0
      ? [
          {
            kind: 'text',
            text: say('{n} further query is in the JSON form.|{n} further queries are in the JSON form.', {
              n: rest,
            }),
          } satisfies Block,
        ]
      : []),
  ];
}

function rowsText(rows: number | null): Value {
  return rows === null ? { text: '–', muted: true } : rows;
}

function changeSection({ changes, totals }: DbSection): Block {
  const row = (change: DbChange): Row => ({
    cells: [change.action, mono(change.entity), mono(change.id)],
    detail: [
      { kind: 'pairs', label: say('Values'), pairs: [[say('Values'), { text: '', picture: change.values }]] },
    ],
  });
  const table: Block = {
    kind: 'table',
    caption: say('Changes written'),
    columns: [{ label: say('Action') }, { label: say('Entity') }, { label: say('Id'), grow: true }],
    rows: changes.map(row),
  };
  return section(say('Changes written'), table, { count: totals.created + totals.updated + totals.removed });
}
