import type { ProfileRecord, RecordedLog, RecordedLogTotals } from '../model/profile-record.js';
import type { Block, Row, Tone } from './blocks/block.js';
import { formatCount, formatMilliseconds, plural } from './blocks/format.js';
import { icons } from './blocks/icons.js';
import type { Panel, PanelContext } from './panel.js';

const ERRORS = new Set(['error', 'critical', 'alert', 'emergency']);
/** All that a record has: its own bound, and what came late. */
const SHOWN = 520;

/** The log of the request, filtered by level and channel. */
export const logsPanel: Panel = {
  id: 'logs',
  title: 'Logs',
  icon: icons.logs,
  badge: ({ logTotals: { total, byLevel } }) => {
    if (total === 0) return undefined;
    let errors = 0;
    for (const level of ERRORS) errors += byLevel[level] ?? 0;
    const warnings = byLevel['warning'] ?? 0;
    if (errors > 0) return { count: errors, tone: 'error', words: plural(errors, 'logged error') };
    if (warnings > 0) return { count: warnings, tone: 'warn', words: plural(warnings, 'logged warning') };
    return { count: total, tone: 'neutral', words: plural(total, 'log entry', 'log entries') };
  },
  show(record, context) {
    if (record.logs.length === 0)
      return [{ kind: 'table', caption: 'Log', columns: [], rows: [], empty: 'No log entries.' }];
    const [level, channel] = [context.query('level'), context.query('channel')];
    const chosen = record.logs.filter(
      (entry) => (level === '' || entry.level === level) && (channel === '' || entry.channel === channel),
    );
    return [
      filterBlock(record, context, { name: 'level', chosen: level, other: { channel } }),
      filterBlock(record, context, { name: 'channel', chosen: channel, other: { level } }),
      ...omittedNote(record.logTotals),
      ...cutNote(chosen.length),
      {
        kind: 'table',
        caption: 'Log entries, in order',
        columns: [
          { label: 'After', align: 'end' },
          { label: 'Level' },
          { label: 'Channel', minor: true },
          { label: 'Message', grow: true },
        ],
        rows: chosen.slice(0, SHOWN).map((entry) => logRow(entry)),
        empty: 'No entry has this level and channel.',
      },
    ];
  },
};

function logRow(entry: RecordedLog): Row {
  const tone = levelTone(entry.level);
  return {
    tone: tone === 'neutral' ? 'neutral' : tone,
    cells: [
      { text: formatMilliseconds(entry.offsetMs), mono: true, muted: true },
      { text: entry.level, tone },
      { text: entry.channel, mono: true, muted: true },
      entry.message,
    ],
    ...(entry.context === undefined
      ? {}
      : {
          detail: [
            {
              kind: 'pairs',
              label: 'Context',
              empty: '',
              pairs: [['Context', { text: '', picture: entry.context }]],
            } satisfies Block,
          ],
        }),
  };
}

function levelTone(level: string): Tone {
  if (ERRORS.has(level)) return 'error';
  return level === 'warning' ? 'warn' : 'neutral';
}

function filterBlock(
  { logs, logTotals }: ProfileRecord,
  context: PanelContext,
  filter: { name: 'level' | 'channel'; chosen: string; other: Readonly<Record<string, string>> },
): Block {
  // Levels are counted for all lines; channels only for those that were kept.
  const counts = new Map<string, number>(filter.name === 'level' ? Object.entries(logTotals.byLevel) : []);
  if (filter.name === 'channel')
    for (const { channel } of logs) counts.set(channel, (counts.get(channel) ?? 0) + 1);
  const all = filter.name === 'level' ? logTotals.total : logs.length;
  const link = (value: string): string => context.link('logs', { ...filter.other, [filter.name]: value });
  return {
    kind: 'filters',
    label: `Filter by ${filter.name}`,
    filters: [
      { label: `any ${filter.name}`, count: all, href: link(''), chosen: filter.chosen === '' },
      ...Array.from(counts, ([label, count]) => ({
        label,
        count,
        href: link(label),
        chosen: label === filter.chosen,
      })),
    ],
  };
}

function omittedNote({ omitted, omittedAfter, total }: RecordedLogTotals): readonly Block[] {
  if (omitted === 0) return [];
  const text =
    `${formatCount(omitted)} of ${formatCount(total)} entries were left out: ` +
    `the first ${omittedAfter} and the last ${total - omitted - omittedAfter} are kept. Levels count all of them.`;
  return [{ kind: 'note', tone: 'warn', text }];
}

function cutNote(matching: number): readonly Block[] {
  if (matching <= SHOWN) return [];
  return [
    {
      kind: 'note',
      tone: 'neutral',
      text: `The first ${SHOWN} of ${matching} entries are shown. Filter them, or open the JSON form for all.`,
    },
  ];
}
