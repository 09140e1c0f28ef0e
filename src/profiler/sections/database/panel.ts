import { queryAnchor, waitAnchor } from './section.js';
import type { DbQuery, DbSection } from './queries.js';
import { shapeOf } from './repeated.js';
import { describePool, reportRepeatedQueries } from './findings.js';
import { formatCount, formatMilliseconds } from '../../model/formatting.js';
import { say } from '#core/phrases';
import type { Block, Blocks, Pair, PanelBadge, Tone, Value } from '../../view/block.js';
import { pageOf, pagesBlock } from '../../view/data-blocks.js';
import { blocksOf, code, furtherItems, line, warning } from '../../view/make-blocks.js';
import { badgeOf, callSitePairs, metricsOf, pairsOf } from '../../view/make-facts.js';
import { column, table, tableSection } from '../../view/make-tables.js';
import { locationValue, mono, muted, snapshotValue, styledText } from '../../view/make-values.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Panel, PanelContext } from '../panel.js';
import { toFinding } from '../finding.js';
import { createSectionPanel } from '../section-panel.js';
import { fillSql, formatSql } from './format-sql.js';
import { readSelect } from './read-select.js';

/** Statements per page, and queries listed per statement. */
const maxRows = 15;
const maxMembers = 5;
/** Maximum groups listed above the statements; further groups are only marked in their statements' rows. */
const maxGroups = 10;
/** Maximum statement characters in a finding. */
const maxDetail = 300;

/** The request's database queries: repeated queries first, then each statement, then entity changes. */
export const dbPanel: Panel = createSectionPanel<DbSection>({
  id: 'db',
  title: 'Database',
  fields: ['queries', 'groups', 'changes', 'totals'],
  badge: worstBadge,
  none: 'No queries. Most clients are recorded without setup; others need one line, recordQueries(client). See docs/guides/instrumentation.md.',
  show: (section, record, context) => [
    metrics(section),
    transactionLine(section),
    section.groups.length > 0 && {
      kind: 'findings',
      findings: section.groups.slice(0, maxGroups).map((group) => ({
        ...toFinding(reportRepeatedQueries(group), context),
        detail: group.sql.slice(0, maxDetail),
      })),
    },
    waitSection(section, record, context),
    queryBlocks(section, record, context),
    section.changes.length > 0 && changeSection(section),
  ],
});

function worstBadge({ groups, totals }: DbSection): PanelBadge | undefined {
  const count = totals.queries - (totals.own?.queries ?? 0);
  const repeated = groups.find((group) => group.kind === 'n+1');
  return (
    badgeOf(count, '{n} failed query|{n} failed queries', { tone: 'error', n: totals.failed }) ??
    (repeated && { count, tone: 'warn', words: `N+1 ×${repeated.count}` }) ??
    badgeOf(count, '{n} query|{n} queries')
  );
}

function metrics({ totals }: DbSection): Block {
  const { own = { queries: 0, durationMs: 0 } } = totals;
  const count = totals.queries - own.queries;
  return metricsOf(
    [count === 1 ? 'query' : 'queries', count],
    ['in the database', formatMilliseconds(totals.durationMs - own.durationMs)],
    own.queries > 0 && ['sent by lookback', own.queries],
    totals.failed > 0 && ['failed', totals.failed, 'error'],
  );
}

function transactionLine({ totals }: DbSection): Blocks {
  const { flushes, commits, rollbacks } = totals;
  if (flushes + commits + rollbacks === 0) return undefined;
  const [f, c, r] = [flushes, commits, rollbacks].map(formatCount);
  return line(`Flushes: ${f}, commits: ${c}, rollbacks: ${r}`);
}

function queryBlocks(
  section: DbSection,
  { startedAt: began, durationMs }: Pick<ProfileRecord, 'startedAt' | 'durationMs'>,
  context: PanelContext,
): Blocks {
  const { queries, totals } = section;
  const folded = foldQueries(queries);
  const slowest = folded.toSorted((a, b) => b.durationMs - a.durationMs)[0];
  const plan = context.explain?.plan;
  // The query named in the URL, or just explained.
  const wanted = plan === undefined ? context.query('at') : queryAnchor(plan.query);
  const isWanted = (fold: FoldedQueries): boolean => fold.queries.some(({ anchor }) => anchor === wanted);
  const at = folded.findIndex(isWanted);
  const page = pageOf({ total: folded.length, size: maxRows, wanted: context.query('page'), at });
  return [
    pagesBlock(page, (number) => context.link('db', { page: String(number) })),
    table('Statements in the order of their first query', folded.slice(page.from, page.to), {
      columns: [
        column.wide('Statement', ({ sql }) => ({ text: sql, mono: true, isSql: true })),
        column.minor('Sent from', ({ queries: [{ callSite }] }) => sentFrom(callSite[0], context)),
        column.number('Times', timesText),
        column.number('Rows', ({ rows, queries: [first] }) => (first.isOpen ? 'open' : rowsText(rows))),
        column.number('Time', (fold) => timeValue(fold, durationMs)),
      ],
      row: (fold) => ({
        anchor: fold.queries[0].anchor,
        tone: toneOf(fold.queries[0]),
        detail: blocksOf(
          statementBlocks(fold.queries[0], context),
          explainBlocks(fold.queries[0], context),
          memberBlocks(fold, began, context.query('at')),
        ),
        isUnfolded: at === -1 ? fold === slowest : isWanted(fold),
      }),
      empty: 'No queries.',
    }),
    furtherItems(
      totals.queries - queries.length,
      '{n} further query was counted, but not kept.|{n} further queries were counted, but not kept.',
      warning,
    ),
  ];
}

/** Lists waits for a connection: how full the pool was, and which requests held its connections. */
function waitSection(
  { waits }: DbSection,
  { startedAt, token }: ProfileRecord,
  context: PanelContext,
): Blocks {
  if (waits === undefined) return undefined;
  return tableSection('Waits for a connection', waits.list, {
    columns: [
      column.wide('In use', (wait) => describePool(wait, token)),
      column.minor('Pool', ({ pool }) => mono(pool)),
      column.minor('Asked from', ({ callSite }) => sentFrom(callSite[0], context)),
      column.number('Waiting before it', ({ waiting }) => formatCount(waiting)),
      column.start((wait) => wait.startedAt - startedAt),
      column.number('Waited', ({ durationMs, isOpen }) => ({
        text: `${formatMilliseconds(durationMs)}${isOpen === true ? ', got none' : ''}`,
        tone: 'warn',
      })),
    ],
    row: (_, index) => ({ anchor: waitAnchor(index) }),
    more: waits.count - waits.list.length,
  });
}

function sentFrom(site: DbQuery['callSite'][number] | undefined, { editor }: PanelContext): Value {
  return site === undefined ? muted('–') : locationValue({ ...site, name: null }, editor);
}

/**
 * Formats a statement's time with its share of the request. Omits the share if concurrent queries add up to more than
 * the request.
 */
function timeValue({ durationMs: ms }: FoldedQueries, whole: number): Value {
  const text = formatMilliseconds(ms);
  if (!(ms <= whole)) return text;
  return { text: `${text} · ${Math.round((100 * ms) / whole)} %`, category: 'database', share: ms / whole };
}

function timesText({ queries: { length } }: FoldedQueries): Value {
  return length === 1 ? muted('1') : { text: `×${length}`, tone: length > 2 ? 'warn' : 'neutral' };
}

function toneOf({ error, isOpen }: DbQuery): Tone {
  if (error !== null) return 'error';
  return isOpen ? 'warn' : 'neutral';
}

function statementBlocks(query: DbQuery, context: PanelContext): readonly Block[] {
  const { sql, open } = fillSql(
    query.sql,
    query.params.map(({ value }) => value),
  );
  const values = query.params.map(({ name, value }, index): Pair => [
    name ?? `Value ${index + 1}`,
    snapshotValue(value),
  ]);
  return [
    code(
      open === 0
        ? 'SQL'
        : say('SQL; {n} value could not be filled in|SQL; {n} values could not be filled in', { n: open }),
      formatSql(sql),
      'sql',
    ),
    pairsOf('Query', [
      ['Error', styledText(query.error, { tone: 'error' })],
      ['State', query.isOpen ? 'had not ended when the record was made' : null],
      ...(open === 0 ? [] : values),
      ['Connection', mono(query.connection)],
      ['Sent by', query.isOwn === true ? 'lookback' : null],
      ...callSitePairs(query, context),
    ]),
  ];
}

function memberBlocks({ queries }: FoldedQueries, began: number, at: string): Blocks {
  if (queries.length === 1) return undefined;
  // Starts at the linked query if it lies beyond the first rows.
  const wanted = queries.findIndex(({ anchor }) => anchor === at);
  const first = wanted < maxMembers ? 0 : wanted;
  const members = queries.slice(first, first + maxMembers);
  return [
    table('Queries of this statement', members, {
      columns: [
        column.wide('Values', ({ error, params }) => mono(error ?? valuesText(params))),
        column.number('Rows', ({ rows }) => rowsText(rows)),
        column.duration(),
        column.start(({ startedAt }) => startedAt - began),
      ],
      row: (query) => ({ ...(query === queries[0] ? {} : { anchor: query.anchor }), tone: toneOf(query) }),
    }),
    furtherItems(
      queries.length - members.length,
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
      column.plain('Action', ({ action }) => action),
      column.plain('Entity', ({ entity }) => mono(entity)),
      column.wide('Id', ({ id }) => mono(id)),
    ],
    row: ({ values }) => ({ detail: [pairsOf('Values', [['Values', snapshotValue(values)]])] }),
    count: totals.created + totals.updated + totals.removed,
  });
}

/** Returns a query's plan, if just requested, and the button that requests it; undefined if it cannot be explained. */
function explainBlocks(query: PlacedQuery, { explain }: PanelContext): Blocks {
  if (explain === undefined || !explain.knows(query.connection) || readSelect(query) === undefined)
    return undefined;
  return [
    explain.plan?.query === query.index && explain.plan.blocks,
    {
      kind: 'form',
      label: 'Explain',
      action: `${explain.href}#${query.anchor}`,
      fields: { query: String(query.index) },
    },
    line('Plans the statement without running it; functions in it may be evaluated.'),
  ];
}

interface PlacedQuery extends DbQuery {
  readonly index: number;
  readonly anchor: string;
}

/** Queries with the same shape. `rows` is their sum, or null if no query reported it. */
interface FoldedQueries extends Pick<DbQuery, 'sql' | 'durationMs' | 'rows'> {
  readonly queries: readonly [PlacedQuery, ...PlacedQuery[]];
}

/** Groups one connection's queries by shape (the statement without literals and lists), in order of first use. */
export function foldQueries(queries: readonly DbQuery[]): readonly FoldedQueries[] {
  const folds = new Map<string, [PlacedQuery, ...PlacedQuery[]]>();
  for (const [index, query] of queries.entries()) {
    // A failed or unfinished query gets its own row, so that it is not overlooked.
    const isPlain = query.error === null && query.isOpen !== true;
    const key = isPlain ? `${query.connection}\n${shapeOf(query.sql)}` : `single ${index}`;
    const placed = { ...query, index, anchor: queryAnchor(index) };
    const known = folds.get(key);
    if (known === undefined) folds.set(key, [placed]);
    else known.push(placed);
  }
  return [...folds.values()].map((members) => {
    const rows = members.flatMap((query) => query.rows ?? []);
    return {
      sql: members[0].sql.replace(/\s+/g, ' ').trim(),
      queries: members,
      durationMs: sum(members.map(({ durationMs }) => durationMs)),
      rows: rows.length === 0 ? null : sum(rows),
    };
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
