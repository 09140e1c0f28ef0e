import type { RecordedLog } from '../model/profile-record.js';
import type { Block, Row, Tone } from './block.js';
import { formatMilliseconds, plural } from './format.js';
import { icons } from './icons.js';
import type { Panel, PanelContext } from './panel.js';

const ERRORS = new Set(['error', 'critical', 'alert', 'emergency']);
const SHOWN = 300;

/** The log of the request, filtered by level and channel. */
export const logsPanel: Panel = {
  id: 'logs',
  title: 'Logs',
  icon: icons.logs,
  badge: ({ logs }) => {
    if (logs.length === 0) return undefined;
    const errors = logs.filter((entry) => levelTone(entry.level) === 'error').length;
    const warnings = logs.filter((entry) => entry.level === 'warning').length;
    if (errors > 0) return { count: errors, tone: 'error', words: plural(errors, 'logged error') };
    if (warnings > 0) return { count: warnings, tone: 'warn', words: plural(warnings, 'logged warning') };
    return { count: logs.length, tone: 'neutral', words: plural(logs.length, 'log entry', 'log entries') };
  },
  show(record, context) {
    if (record.logs.length === 0)
      return [{ kind: 'table', caption: 'Log', columns: [], rows: [], empty: 'No log entries.' }];
    const [level, channel] = [context.query('level'), context.query('channel')];
    const chosen = record.logs.filter(
      (entry) => (level === '' || entry.level === level) && (channel === '' || entry.channel === channel),
    );
    return [
      filterBlock(record.logs, context, { name: 'level', chosen: level, other: { channel } }),
      filterBlock(record.logs, context, { name: 'channel', chosen: channel, other: { level } }),
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
  logs: readonly RecordedLog[],
  context: PanelContext,
  filter: { name: 'level' | 'channel'; chosen: string; other: Readonly<Record<string, string>> },
): Block {
  const counts = new Map<string, number>();
  for (const entry of logs) counts.set(entry[filter.name], (counts.get(entry[filter.name]) ?? 0) + 1);
  const link = (value: string): string => context.link('logs', { ...filter.other, [filter.name]: value });
  return {
    kind: 'filters',
    label: `Filter by ${filter.name}`,
    filters: [
      { label: `any ${filter.name}`, count: logs.length, href: link(''), chosen: filter.chosen === '' },
      ...Array.from(counts, ([label, count]) => ({
        label,
        count,
        href: link(label),
        chosen: label === filter.chosen,
      })),
    ],
  };
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
