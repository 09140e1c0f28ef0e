import type { DbCallSite, DbGroup, DbQuery, DbSection } from '../collectors/db-section.js';
import { dbLimits } from '../collectors/db-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Block, Finding, Metric, Row, Value } from './block.js';
import { formatMilliseconds, plural } from './format.js';
import { icons } from './icons.js';
import type { Panel, PanelContext } from './panel.js';

/** Findings and calls shown of a long list. */
const SHOWN = 20;

/** What the request asked its databases: queries with values and places, loops and duplicates, changed entities. */
export const dbPanel: Panel = {
  id: 'db',
  title: 'Database',
  icon: icons.database,
  badge(record) {
    const section = sectionOf(record);
    if (section === undefined) return undefined;
    const { queries, failed } = section.totals;
    if (failed > 0)
      return { count: failed, tone: 'error', words: plural(failed, 'failed query', 'failed queries') };
    const repeated = section.groups.length;
    if (repeated > 0)
      return { count: queries, tone: 'warn', words: `${plural(queries, 'query', 'queries')}, repeated` };
    return { count: queries, tone: 'neutral', words: plural(queries, 'query', 'queries') };
  },
  show(record, context) {
    const section = sectionOf(record);
    if (section === undefined) return [{ kind: 'note', tone: 'neutral', text: 'No database was asked.' }];
    return [
      { kind: 'metrics', metrics: metricsOf(section) },
      ...findingsOf(section.groups),
      ...cutNote(section),
      queryTable(section, record, context),
      ...changeBlocks(section),
    ];
  },
};

function metricsOf({ totals, groups }: DbSection): Metric[] {
  return [
    { label: 'Queries', value: totals.queries, ...(groups.length > 0 && { tone: 'warn' as const }) },
    { label: 'Time', value: formatMilliseconds(totals.durationMs) },
    ...(totals.failed > 0 ? [{ label: 'Failed', value: totals.failed, tone: 'error' as const }] : []),
    { label: 'Flushes', value: totals.flushes },
    { label: 'Commits', value: totals.commits },
    ...(totals.rollbacks > 0
      ? [{ label: 'Rolled back', value: totals.rollbacks, tone: 'warn' as const }]
      : []),
    { label: 'Entities written', value: totals.created + totals.updated + totals.removed },
  ];
}

function findingsOf(groups: readonly DbGroup[]): Block[] {
  if (groups.length === 0) return [];
  const findings = groups.slice(0, SHOWN).map(({ kind, count, durationMs, sql, callSite }): Finding => ({
    tone: 'warn',
    title:
      kind === 'n+1'
        ? `N+1: the same question ${count} times from one place (${formatMilliseconds(durationMs)})`
        : `The same query with the same values ${count} times (${formatMilliseconds(durationMs)})`,
    detail: callSite === null ? sql : `${sql} — ${placeText(callSite)}`,
  }));
  return [{ kind: 'findings', findings }];
}

function cutNote({ queries, totals }: DbSection): Block[] {
  if (queries.length >= totals.queries) return [];
  return [
    {
      kind: 'note',
      tone: 'neutral',
      text: `The first ${queries.length} of ${totals.queries} queries were kept; at most ${dbLimits.queries} are.`,
    },
  ];
}

function queryTable(section: DbSection, record: ProfileRecord, context: PanelContext): Block {
  const marks = new Map(
    section.groups.flatMap((group) => group.queries.map((place) => [place, group.kind] as const)),
  );
  return {
    kind: 'table',
    caption: 'Queries, in order',
    columns: [
      { label: 'After', align: 'end' },
      { label: 'Took', align: 'end' },
      { label: 'Rows', align: 'end', minor: true },
      { label: 'Statement' },
    ],
    rows: section.queries.map((query, place) => queryRow(query, marks.get(place), record, context)),
    empty: 'No query was sent.',
  };
}

function queryRow(
  query: DbQuery,
  mark: DbGroup['kind'] | undefined,
  record: ProfileRecord,
  context: PanelContext,
): Row {
  const tone = query.error !== null ? 'error' : mark === undefined ? 'neutral' : 'warn';
  return {
    tone,
    cells: [
      { text: formatMilliseconds(query.startedAt - record.startedAt), mono: true, muted: true },
      { text: formatMilliseconds(query.durationMs), mono: true },
      { text: query.rows === null ? '–' : String(query.rows), mono: true, muted: true },
      { text: query.sql.slice(0, 300) + (mark === undefined ? '' : ` (${mark})`), mono: true },
    ],
    detail: [
      ...(query.error === null ? [] : [{ kind: 'note', tone: 'error', text: query.error } as const]),
      { kind: 'code', label: 'Statement', text: query.sql, language: 'sql' },
      {
        kind: 'pairs',
        label: 'Values',
        pairs: query.params.map(({ name, value }, place) => [
          `${place + 1} ${name ?? ''}`.trim(),
          { text: '', picture: value },
        ]),
        empty: 'The statement has no values.',
      },
      {
        kind: 'pairs',
        label: 'Called from',
        pairs: query.callSite.map((call) => [call.name ?? '(anonymous)', placeValue(call, context)]),
        empty: 'The place of the call is not known.',
      },
      { kind: 'pairs', label: 'Database', pairs: [['Connection', query.connection]], empty: '' },
    ],
  };
}

function changeBlocks({ changes, totals }: DbSection): Block[] {
  if (changes.length === 0) return [];
  return [
    {
      kind: 'section',
      title: 'Entities written',
      count: totals.created + totals.updated + totals.removed,
      blocks: [
        {
          kind: 'table',
          caption: changes.length < dbLimits.changes ? 'Entities' : `The first ${changes.length} entities`,
          columns: [{ label: 'Action' }, { label: 'Entity' }, { label: 'Key' }],
          rows: changes.map(({ action, entity, id, values }) => ({
            cells: [action, { text: entity, mono: true }, { text: id, mono: true }],
            detail: [
              {
                kind: 'pairs',
                label: 'Values',
                pairs: [['Written', { text: '', picture: values }]],
                empty: '',
              },
            ],
          })),
          empty: '',
        },
      ],
    },
  ];
}

function placeValue(call: DbCallSite, { editor }: PanelContext): Value {
  const path = call.file.replace(/^file:\/\//, '');
  const link = editor(path, call.line, call.column);
  return { text: placeText(call), mono: true, ...(link !== undefined && { href: link.href }) };
}

function placeText({ file, line, column }: DbCallSite): string {
  return `${file}:${line}:${column}`;
}

/** The section, where this record has one of the shape that is shown here. */
function sectionOf({ sections }: ProfileRecord): DbSection | undefined {
  const section: unknown = Object.hasOwn(sections, 'db') ? sections['db'] : undefined;
  if (typeof section !== 'object' || section === null) return undefined;
  const { queries, groups, changes, totals } = section as Partial<DbSection>; // checked below
  const isWhole =
    Array.isArray(queries) && Array.isArray(groups) && Array.isArray(changes) && typeof totals === 'object';
  return isWhole ? (section as DbSection) : undefined; // written by the collector, of which these are the parts
}
