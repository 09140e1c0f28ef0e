import { queryAnchor } from '../collectors/db-part.js';
import type { DbChange, DbGroup, DbQuery, DbSection } from '../collectors/db-section.js';
import { formatMilliseconds } from '../words/format.js';
import { say } from '../words/say.js';
import type { Block, Finding, Row, Value } from './blocks/block.js';
import { icons } from './blocks/icons.js';
import { pageOf, pagesBlock } from './blocks/pages.js';
import { callSitePairs, placeValue } from './blocks/place-value.js';
import {
  badgeOf,
  column,
  end,
  further,
  given,
  grow,
  line,
  metric,
  metricsOf,
  mono,
  muted,
  type Pair,
  pairsOf,
  pictured,
  present,
  tableSection,
  warning,
} from './blocks/make-blocks.js';
import { explainBlocks, explainNote } from './explain-blocks.js';
import type { Panel, PanelContext } from './panel.js';
import type { PanelBadge } from './blocks/block.js';
import { createSectionPanel } from './section-panel.js';
import { type FoldedQueries, foldQueries } from './sql/fold-queries.js';
import { fillSql } from './sql/fill-sql.js';
import { formatSql } from './sql/format-sql.js';

/** Statements on a page, and queries of one statement that are listed one by one. */
const maxRows = 15;
const maxMembers = 5;
/** Groups that are listed above the statements; the statements of the others are marked in their rows. */
const maxGroups = 10;

/** The database queries of the request: repeated queries first, then each statement, then the changes. */
export const dbPanel: Panel = createSectionPanel<DbSection>({
  id: 'db',
  title: 'Database',
  icon: icons.database,
  fields: ['queries', 'groups', 'changes', 'totals'],
  badge: (section) => (section.totals.queries === 0 ? undefined : worstBadge(section)),
  none: 'No queries. MikroORM, mysql2, Mongoose and pg report theirs; other clients by one line, recordQueries(client). See docs/taps.md.',
  isQuiet: true,
  show: (section, { startedAt }, context) => [
    metrics(section),
    ...transactionLine(section),
    ...present<Block>(
      section.groups.length > 0 && {
        kind: 'findings',
        findings: section.groups.slice(0, maxGroups).map(groupFinding),
      },
    ),
    ...queryBlocks(section, startedAt, context),
    ...explainNote(section.queries, context),
    ...present(section.changes.length > 0 && changeSection(section)),
  ],
});

function worstBadge({ groups, totals }: DbSection): PanelBadge {
  const count = totals.queries;
  if (totals.failed > 0)
    return badgeOf(count, '{n} failed query|{n} failed queries', { tone: 'error', n: totals.failed });
  const worst = groups.find((group) => group.kind === 'n+1');
  if (worst !== undefined) return { count, tone: 'warn', words: `N+1 ×${worst.count}` };
  return badgeOf(count, '{n} query|{n} queries');
}

function metrics({ totals }: DbSection): Block {
  return metricsOf([
    metric('queries', totals.queries),
    metric('in the database', formatMilliseconds(totals.durationMs)),
    ...present(totals.failed > 0 && metric('failed', totals.failed, 'error')),
  ]);
}

function transactionLine({ totals }: DbSection): readonly Block[] {
  const { flushes, commits, rollbacks } = totals;
  if (flushes + commits + rollbacks === 0) return [];
  return [
    line(
      say('Flushes: {flushes}, commits: {commits}, rollbacks: {rollbacks}', {
        flushes,
        commits,
        rollbacks,
      }),
    ),
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
        grow('Statement'),
        end('Rows'),
        end('Times'),
        end('Duration'),
        { ...end('After'), minor: true },
      ],
      rows: folded.slice(page.from, page.to).map((fold) => foldRow(fold, { queries, began, context })),
      empty: say('No queries.'),
    },
    ...further(
      rest,
      '{n} further query was counted, but not kept.|{n} further queries were counted, but not kept.',
      warning,
    ),
  ];
}

/** The query that the address of the page names. */
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
        ? muted('1')
        : { text: `×${places.length}`, tone: fold.isGroup ? 'warn' : 'neutral' },
      formatMilliseconds(durationMs),
      muted(formatMilliseconds(first.startedAt - view.began)),
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
    ...given(query.error, (text): Pair => [say('Error'), { text, tone: 'error' }]),
    ...(open === 0
      ? []
      : query.params.map(
          ({ name, value }, index) => [name ?? say('Value {n}', { n: index + 1 }), pictured(value)] as const,
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
    pairsOf(say('Query'), pairs),
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
          muted(formatMilliseconds(query.startedAt - began)),
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
      columns: [grow('Values'), end('Rows'), end('Duration'), end('After')],
      rows: places.slice(first, first + maxMembers).flatMap(row),
    },
    ...further(
      rest,
      '{n} further query is in the JSON form.|{n} further queries are in the JSON form.',
      line,
    ),
  ];
}

function rowsText(rows: number | null): Value {
  return rows === null ? muted('–') : rows;
}

function changeSection({ changes, totals }: DbSection): Block {
  const row = (change: DbChange): Row => ({
    cells: [change.action, mono(change.entity), mono(change.id)],
    detail: [pairsOf(say('Values'), [[say('Values'), pictured(change.values)]])],
  });
  const columns = [column('Action'), column('Entity'), grow('Id')];
  const count = totals.created + totals.updated + totals.removed;
  return tableSection(say('Changes written'), { columns, rows: changes.map(row) }, { count });
}
