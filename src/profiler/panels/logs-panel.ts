import {
  badgeOf,
  column,
  compact,
  ifPresent,
  line,
  minorColumn,
  muted,
  note,
  numberColumn,
  table,
  wideColumn,
} from './blocks/make-blocks.js';
import { logAnchor } from '../findings/finding.js';
import type { ProfileRecord, RecordedLogTotals } from '../model/profile-record.js';
import { countLogged, failureLevels, levelsOf } from '../record/columns.js';
import { formatMilliseconds } from '../words/format.js';
import { say } from '#phrases';
import type { Block, Tone } from './blocks/block.js';
import { pageOf, pagesBlock } from './blocks/data-blocks.js';
import type { Panel, PanelContext } from './panel.js';

/** Entries per page; keeps the page with the contexts of its entries below 60 kB. */
const maxRows = 30;
/** Maximum number of channels with a filter link. */
const maxChannels = 12;

/** The log of the request, filtered by level and channel, page by page. */
export const logsPanel: Panel = {
  id: 'logs',
  title: 'Logs',
  badge: ({ logTotals, exception }) => {
    const { errors, warnings } = countLogged(levelsOf(logTotals), exception);
    return (
      badgeOf(errors, '{n} logged error|{n} logged errors', { tone: 'error' }) ??
      badgeOf(warnings, '{n} logged warning|{n} logged warnings', { tone: 'warn' }) ??
      badgeOf(logTotals.total, '{n} log entry|{n} log entries')
    );
  },
  show(record, context) {
    const { logs, logTotals } = record;
    const { total, byLevel } = logTotals;
    if (logs.length === 0) return [line('No log entries.')];
    const chosen = { level: context.query('level'), channel: context.query('channel') };
    const { level, channel } = chosen;
    const channels = channelCounts(logs);
    const entries = logs.map((entry, index) => ({ entry, anchor: logAnchor(index) }));
    const shown = entries.filter(
      ({ entry }) => (level === '' || entry.level === level) && (channel === '' || entry.channel === channel),
    );
    const at = shown.findIndex(({ anchor }) => anchor === context.query('at'));
    const page = pageOf({ total: shown.length, size: maxRows, wanted: context.query('page'), at });
    const pages = pagesBlock(page, (number) => context.link('logs', { ...chosen, page: String(number) }));
    return [
      // Level counts include entries that were not recorded.
      filterBlock('level', [['', total], ...Object.entries(byLevel)], {
        label: 'Filter by level',
        chosen,
        context,
      }),
      ...compact(
        (channels.length > 1 || channel !== '') &&
          filterBlock('channel', [['', logs.length], ...channels], {
            label: 'Filter by channel',
            chosen,
            context,
          }),
      ),
      ...omittedNote(logTotals),
      ...pages,
      table('Log entries, in order', shown.slice(page.from, page.to), {
        columns: [
          numberColumn('After', ({ entry }) => muted(formatMilliseconds(entry.offsetMs))),
          column('Level', ({ entry: { level: text } }) => ({ text, tone: levelTone(text) })),
          minorColumn('Channel', ({ entry }) => muted(entry.channel)),
          wideColumn('Message', ({ entry }) => entry.message),
        ],
        row: ({ entry, anchor }) => ({
          anchor,
          tone: levelTone(entry.level),
          open: true,
          detail: ifPresent(entry.context, (picture) => ({
            kind: 'picture',
            label: 'Context',
            picture,
          })),
        }),
        empty: 'No entry has this level and channel.',
      }),
      ...pages,
    ];
  },
};

/** Returns the tone of an RFC 5424 level; other levels are neutral. */
export function levelTone(level: string): Extract<Tone, 'neutral' | 'warn' | 'error'> {
  if (failureLevels.includes(level)) return 'error';
  return level === 'warning' ? 'warn' : 'neutral';
}

interface LogFilter {
  readonly level: string;
  readonly channel: string;
}

/** Returns links that select a level or a channel, each with its count. */
function filterBlock(
  name: keyof LogFilter,
  counts: readonly (readonly [value: string, count: number])[],
  { label, chosen, context }: { label: string; chosen: LogFilter; context: PanelContext },
): Block {
  const filters = counts.map(([value, count]) => ({
    label: value === '' ? (name === 'level' ? 'any level' : 'any channel') : value,
    count,
    href: context.link('logs', { ...chosen, [name]: value }),
    chosen: value === chosen[name],
  }));
  return { kind: 'filters', label, filters };
}

/** Counts the recorded entries by channel, most frequent first. */
function channelCounts(logs: ProfileRecord['logs']): readonly (readonly [channel: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { channel } of logs) counts.set(channel, (counts.get(channel) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, maxChannels);
}

function omittedNote({ omitted, omittedAfter, total }: RecordedLogTotals): readonly Block[] {
  if (omitted === 0) return [];
  const text = say(
    '{omitted} of {total} entries were left out: the first {first} and the last {last} are kept. Levels count all of them.',
    { omitted, total, first: omittedAfter, last: total - omitted - omittedAfter },
  );
  return [note(text, 'warn')];
}
