import type { DbCallSite, DbChange, DbGroup, DbQuery, DbSection } from '../collectors/db-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Block, Finding, Row, Value } from './blocks/block.js';
import { findSection } from './find-section.js';
import { formatMilliseconds, plural, shortPath } from './blocks/format.js';
import { icons } from './blocks/icons.js';
import type { Panel, PanelBadge, PanelContext } from './panel.js';

/** Only what is published on the channels of queries is seen: that nothing was is not that no database was asked. */
const NO_QUERIES =
  'No queries were reported. Queries through MikroORM are reported by themselves; other clients have to publish theirs on ' +
  'the diagnostics channel lookback:persistence:query.';

/** What the request asked its databases: repeated queries first, then each query, then what was changed. */
export const dbPanel: Panel = {
  id: 'db',
  title: 'Database',
  icon: icons.database,
  section: 'db',
  badge(record) {
    const section = dbSectionOf(record);
    return section === undefined || section.totals.queries === 0 ? undefined : badgeOf(section);
  },
  show(record, context) {
    const section = dbSectionOf(record);
    if (section === undefined) return [{ kind: 'note', tone: 'neutral', text: NO_QUERIES }];
    return [
      metrics(section),
      ...(section.groups.length === 0
        ? []
        : [{ kind: 'findings', findings: section.groups.map(groupFinding) } satisfies Block]),
      queryTable(section, record.startedAt, context),
      ...(section.changes.length === 0 ? [] : [changeSection(section)]),
    ];
  },
};

function badgeOf({ groups, totals }: DbSection): PanelBadge {
  const loops = groups.filter((group) => group.kind === 'n+1');
  if (totals.failed > 0)
    return {
      count: totals.queries,
      tone: 'error',
      words: plural(totals.failed, 'failed query', 'failed queries'),
    };
  const worst = loops[0];
  if (worst !== undefined) return { count: totals.queries, tone: 'warn', words: `N+1 ×${worst.count}` };
  return { count: totals.queries, tone: 'neutral', words: plural(totals.queries, 'query', 'queries') };
}

function metrics({ totals }: DbSection): Block {
  return {
    kind: 'metrics',
    metrics: [
      { label: 'queries', value: totals.queries },
      { label: 'in the database', value: formatMilliseconds(totals.durationMs) },
      { label: 'failed', value: totals.failed, ...(totals.failed > 0 ? { tone: 'error' as const } : {}) },
      { label: 'flushes', value: totals.flushes },
      { label: 'commits', value: totals.commits },
      { label: 'rollbacks', value: totals.rollbacks },
    ],
  };
}

function groupFinding(group: DbGroup): Finding {
  const what =
    group.kind === 'n+1'
      ? `N+1: ${plural(group.count, 'query', 'queries')} of the same shape from one place`
      : `The same query with the same values, ${group.count} times`;
  const where = group.callSite === null ? '' : ` at ${placeText(group.callSite)}`;
  return {
    tone: 'warn',
    title: `${what}, ${formatMilliseconds(group.durationMs)}`,
    detail: `${group.sql.slice(0, 300)}${where}`,
  };
}

function queryTable({ queries, totals }: DbSection, began: number, context: PanelContext): Block {
  const rest = totals.queries - queries.length;
  const count = rest > 0 ? `, the first ${queries.length} of ${totals.queries}` : '';
  return {
    kind: 'section',
    title: `Queries${count}`,
    count: totals.queries,
    blocks: [
      {
        kind: 'table',
        caption: 'Queries in the order in which they ended',
        columns: [
          { label: 'After', align: 'end', minor: true },
          { label: 'Duration', align: 'end' },
          { label: 'Rows', align: 'end' },
          { label: 'Statement', grow: true },
        ],
        rows: queries.map((query) => queryRow(query, began, context)),
        empty: 'No queries.',
      },
    ],
  };
}

function queryRow(query: DbQuery, began: number, context: PanelContext): Row {
  const pairs: (readonly [string, Value])[] = [
    ...(query.error === null ? [] : [['Error', { text: query.error, tone: 'error' }] as const]),
    ['Connection', { text: query.connection, mono: true }],
    ...query.params.map(
      ({ name, value }, index) => [name ?? `Value ${index + 1}`, { text: '', picture: value }] as const,
    ),
    ...query.callSite.map(
      (site, index) => [index === 0 ? 'From' : 'called by', placeValue(site, context)] as const,
    ),
  ];
  return {
    tone: query.error === null ? 'neutral' : 'error',
    cells: [
      { text: formatMilliseconds(query.startedAt - began), mono: true, muted: true },
      { text: formatMilliseconds(query.durationMs), mono: true },
      { text: query.rows === null ? '–' : String(query.rows), mono: true },
      { text: query.sql, mono: true },
    ],
    detail: [{ kind: 'pairs', label: 'The query', pairs, empty: '' }],
  };
}

function placeValue(site: DbCallSite, context: PanelContext): Value {
  const href = context.editor(site.file, site.line, site.column)?.href;
  return { text: placeText(site), mono: true, ...(href === undefined ? {} : { href }) };
}

function placeText({ name, file, line }: DbCallSite): string {
  const place = `${shortPath(file)}:${line}`;
  return name === null ? place : `${name} (${place})`;
}

function changeSection({ changes, totals }: DbSection): Block {
  const row = (change: DbChange): Row => ({
    cells: [change.action, { text: change.entity, mono: true }, { text: change.id, mono: true }],
    detail: [
      {
        kind: 'pairs',
        label: 'Values',
        pairs: [['Values', { text: '', picture: change.values }]],
        empty: '',
      },
    ],
  });
  return {
    kind: 'section',
    title: 'Changes written',
    count: totals.created + totals.updated + totals.removed,
    blocks: [
      {
        kind: 'table',
        caption: 'Changes written',
        columns: [{ label: 'Action' }, { label: 'Entity' }, { label: 'Id', grow: true }],
        rows: changes.map(row),
        empty: '',
      },
    ],
  };
}

function dbSectionOf(record: ProfileRecord): DbSection | undefined {
  return findSection<DbSection>(record, 'db', ['queries', 'groups', 'changes', 'totals']);
}
