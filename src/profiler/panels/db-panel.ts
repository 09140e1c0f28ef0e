import { queryAnchor } from '../collectors/db-part.js';
import type { DbQuery, DbSection } from '../collectors/db-section.js';
import { reportRepeatedQueries } from '../findings/database-findings.js';
import { formatMilliseconds } from '../words/format.js';
import { say } from '#phrases';
import type { Block, PanelBadge, Value } from './blocks/block.js';
import { pageOf, pagesBlock } from './blocks/data-blocks.js';
import {
  type Pair,
  badgeOf,
  callSitePairs,
  code,
  column,
  compact,
  furtherItems,
  line,
  metric,
  metricsOf,
  mono,
  muted,
  numberColumn,
  pairsOf,
  pictureValue,
  styledText,
  table,
  tableSection,
  warning,
  wideColumn,
} from './blocks/make-blocks.js';
import type { Panel, PanelContext } from './panel.js';
import { toFinding } from './overview-panel.js';
import { createSectionPanel } from './section-panel.js';
import { type FoldedQueries, foldQueries } from './sql/fold-queries.js';
import { fillSql, formatSql } from './sql/format-sql.js';
import { readSelect } from './sql/read-select.js';

/** Statements per page, and queries listed per statement. */
const maxRows = 15;
const maxMembers = 5;
/** Maximum groups listed above the statements; other groups are only marked in the rows of their statements. */
const maxGroups = 10;
/** Maximum characters of a statement in the finding about it. */
const maxDetail = 300;

/** The database queries of the request: repeated queries first, then each statement, then the changes. */
export const dbPanel: Panel = createSectionPanel<DbSection>({
  id: 'db',
  title: 'Database',
  fields: ['queries', 'groups', 'changes', 'totals'],
  badge: worstBadge,
  none: 'No queries. MikroORM, mysql2, Mongoose and pg report theirs; other clients by one line, recordQueries(client). See docs/taps.md.',
  show: (section, { startedAt }, context) => [
    metrics(section),
    ...transactionLine(section),
    ...compact<Block>(
      section.groups.length > 0 && {
        kind: 'findings',
        findings: section.groups.slice(0, maxGroups).map((group) => ({
          ...toFinding(reportRepeatedQueries(group), context),
          detail: group.sql.slice(0, maxDetail),
        })),
      },
    ),
    ...queryBlocks(section, startedAt, context),
    ...compact(section.changes.length > 0 && changeSection(section)),
  ],
});

function worstBadge({ groups, totals }: DbSection): PanelBadge | undefined {
  const count = totals.queries;
  const repeated = groups.find((group) => group.kind === 'n+1');
  return (
    badgeOf(count, '{n} failed query|{n} failed queries', { tone: 'error', n: totals.failed }) ??
    (repeated && { count, tone: 'warn', words: `N+1 ×${repeated.count}` }) ??
    badgeOf(count, '{n} query|{n} queries')
  );
}

function metrics({ totals }: DbSection): Block {
  return metricsOf([
    metric(say('query|queries', { n: totals.queries }), totals.queries),
    metric('in the database', formatMilliseconds(totals.durationMs)),
    ...compact(totals.failed > 0 && metric('failed', totals.failed, 'error')),
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

function queryBlocks(section: DbSection, began: number, context: PanelContext): readonly Block[] {
  const { queries, totals } = section;
  const folded = foldQueries(queries);
  const wanted = folded.findIndex(({ indexes }) =>
    indexes.some((index) => queryAnchor(index) === wantedAnchor(context)),
  );
  const page = pageOf({
    total: folded.length,
    size: maxRows,
    wanted: context.query('page'),
    at: wanted,
  });
  return [
    ...pagesBlock(page, (number) => context.link('db', { page: String(number) })),
    table('Statements in the order of their first query', folded.slice(page.from, page.to), {
      columns: [
        wideColumn('Statement', ({ sql }) => mono(sql)),
        numberColumn('Rows', ({ rows }) => rowsText(rows)),
        numberColumn('Times', timesText),
        numberColumn('Duration', ({ durationMs }) => formatMilliseconds(durationMs)),
        numberColumn('After', ({ first }) => muted(formatMilliseconds(first.startedAt - began)), {
          minor: true,
        }),
      ],
      row: (fold) => ({
        anchor: queryAnchor(fold.indexes[0] ?? 0),
        tone: fold.failed ? 'error' : 'neutral',
        detail: [
          ...statementBlocks(fold.first, context),
          ...explainBlocks(fold.first, fold.indexes[0] ?? 0, context),
          ...memberBlocks(fold, { queries, began, context }),
        ],
        isUnfolded: fold.indexes.some((member) => queryAnchor(member) === wantedAnchor(context)),
      }),
      empty: 'No queries.',
    }),
    ...furtherItems(
      totals.queries - queries.length,
      '{n} further query was counted, but not kept.|{n} further queries were counted, but not kept.',
      warning,
    ),
  ];
}

function timesText({ indexes, isGroup }: FoldedQueries): Value {
  if (indexes.length === 1) return muted('1');
  return { text: `×${indexes.length}`, tone: isGroup ? 'warn' : 'neutral' };
}

/** Anchor of the query that the URL of the page names, or that was just explained. */
function wantedAnchor(context: PanelContext): string {
  const plan = context.explain?.plan;
  return plan === undefined ? context.query('at') : queryAnchor(plan.query);
}

interface QueryView {
  readonly queries: readonly DbQuery[];
  readonly began: number;
  readonly context: PanelContext;
}

/** Shows one query: the statement with its values filled in, and its call site. */
function statementBlocks(query: DbQuery, context: PanelContext): readonly Block[] {
  const { sql, open } = fillSql(
    query.sql,
    query.params.map(({ value }) => value),
  );
  const values = query.params.map(({ name, value }, index): Pair => [
    name ?? say('Value {n}', { n: index + 1 }),
    pictureValue(value),
  ]);
  return [
    code(
      open === 0
        ? 'SQL'
        : say('SQL; {n} value could not be put in|SQL; {n} values could not be put in', { n: open }),
      formatSql(sql),
      'sql',
    ),
    pairsOf('Query', [
      ['Error', styledText(query.error, { tone: 'error' })],
      ...(open === 0 ? [] : values),
      ['Connection', mono(query.connection)],
      ...callSitePairs(query, context),
    ]),
  ];
}

function memberBlocks({ indexes }: FoldedQueries, { queries, began, context }: QueryView): readonly Block[] {
  if (indexes.length === 1) return [];
  // Starts at the linked query if it is not among the first ones.
  const wanted = indexes.findIndex((index) => queryAnchor(index) === context.query('at'));
  const first = wanted < maxMembers ? 0 : wanted;
  const members = indexes.slice(first, first + maxMembers).flatMap((index) => {
    const query = queries[index];
    return query === undefined ? [] : [{ ...query, index }];
  });
  const rest = indexes.length - Math.min(maxMembers, indexes.length - first);
  return [
    table('Queries of this statement', members, {
      columns: [
        wideColumn('Values', ({ error, params }) => mono(error ?? valuesText(params))),
        numberColumn('Rows', ({ rows }) => rowsText(rows)),
        numberColumn('Duration', ({ durationMs }) => formatMilliseconds(durationMs)),
        numberColumn('After', ({ startedAt }) => muted(formatMilliseconds(startedAt - began))),
      ],
      row: ({ error, index }) => ({
        ...(index === indexes[0] ? {} : { anchor: queryAnchor(index) }),
        tone: error === null ? 'neutral' : 'error',
      }),
    }),
    ...furtherItems(
      rest,
      '{n} further query is in the JSON form.|{n} further queries are in the JSON form.',
      line,
    ),
  ];
}

function rowsText(rows: number | null): Value {
  return rows === null ? muted('–') : rows;
}

function valuesText(params: DbQuery['params']): string {
  return params.map(({ name, value }) => `${name ?? '?'} = ${value.text ?? value.type}`).join(', ');
}

function changeSection({ changes, totals }: DbSection): Block {
  return tableSection('Changes written', changes, {
    columns: [
      column('Action', ({ action }) => action),
      column('Entity', ({ entity }) => mono(entity)),
      wideColumn('Id', ({ id }) => mono(id)),
    ],
    row: ({ values }) => ({ detail: [pairsOf('Values', [['Values', pictureValue(values)]])] }),
    count: totals.created + totals.updated + totals.removed,
  });
}

/** Returns the plan of a query, if it was just requested, and the button that requests it, if it can be explained. */
export function explainBlocks(query: DbQuery, index: number, { explain }: PanelContext): readonly Block[] {
  if (explain === undefined || !explain.knows(query.connection)) return [];
  if (readSelect(query) === undefined) return [];
  const fields = { query: String(index) };
  const action = `${explain.href}#${queryAnchor(index)}`;
  const plan = explain.plan?.query === index ? explain.plan.blocks : [];
  return [...plan, { kind: 'form', label: 'Explain (plans it; may evaluate functions)', action, fields }];
}
