import { blocksOf, line, snapshotBlock, warning } from '../../view/make-blocks.js';
import { badgeOf } from '../../view/make-facts.js';
import { column, table } from '../../view/make-tables.js';
import { muted } from '../../view/make-values.js';
import { logAnchor } from '../finding.js';
import type { ProfileRecord, RecordedLogTotals } from '../../model/profile-record.js';
import { countLogged, failureLevels, levelsOf } from '../../model/profile-summary.js';
import { formatCount } from '../../model/formatting.js';
import type { Block, Tone } from '../../view/block.js';
import { pageOf, pagesBlock } from '../../view/data-blocks.js';
import type { Panel, PanelContext } from '../panel.js';

/** Entries per page, which keeps a page with contexts below 60 kB. */
const maxRows = 30;
/** Maximum number of channels with a filter link. */
const maxChannels = 12;

/** The request's log, filtered by level and channel, with pagination. */
export const logsPanel: Panel = {
  id: 'logs',
  title: 'Logs',
  badge: ({ logTotals, exception }) => {
    const levels = levelsOf(logTotals);
    const { errors, warnings } = countLogged(levels, exception);
    return (
      badgeOf(errors, '{n} logged error|{n} logged errors', { tone: 'error' }) ??
      badgeOf(warnings, '{n} logged warning|{n} logged warnings', { tone: 'warn' }) ??
      badgeOf(levels.nodeWarnings, '{n} warning of Node|{n} warnings of Node', { tone: 'warn' }) ??
      badgeOf(logTotals.total, '{n} log entry|{n} log entries')
    );
  },
  show(record, context) {
    const { logs, logTotals } = record;
    if (logs.length === 0) return [line('No log entries.')];
    const chosen = { level: context.query('level'), channel: context.query('channel') };
    const { level, channel } = chosen;
    const channels = channelCounts(logs);
    const entries = logs.map((entry, index) => ({ ...entry, anchor: logAnchor(index) }));
    const shown = entries.filter(
      (entry) => (level === '' || entry.level === level) && (channel === '' || entry.channel === channel),
    );
    const at = shown.findIndex(({ anchor }) => anchor === context.query('at'));
    const page = pageOf({ total: shown.length, size: maxRows, wanted: context.query('page'), at });
    const pages = pagesBlock(page, (number) => context.link('logs', { ...chosen, page: String(number) }));
    // Level counts include entries that were not recorded.
    const levels = [['', logTotals.total] as const, ...Object.entries(logTotals.byLevel)];
    return blocksOf(
      filterBlock('level', levels, chosen, context),
      (channels.length > 1 || channel !== '') &&
        filterBlock('channel', [['', logs.length], ...channels], chosen, context),
      logTotals.omitted > 0 && warning(omittedText(logTotals)),
      pages,
      table('Log entries, in order', shown.slice(page.from, page.to), {
        columns: [
          column.at(({ offsetMs }) => offsetMs),
          column.plain('Level', ({ level: text }) => ({ text, tone: levelTone(text) })),
          column.minor('Channel', (entry) => muted(entry.channel)),
          column.wide('Message', ({ message }) => message),
        ],
        row: ({ anchor, context: snapshot, ...entry }) => ({
          anchor,
          tone: levelTone(entry.level),
          open: true,
          detail: snapshot === undefined ? [] : [snapshotBlock('Context', snapshot)],
        }),
        empty: 'No entry has this level and channel.',
      }),
      pages,
    );
  },
};

/** Returns an RFC 5424 level's tone; other levels are neutral. */
export function levelTone(level: string): Extract<Tone, 'neutral' | 'warn' | 'error'> {
  if (failureLevels.includes(level)) return 'error';
  return level === 'warning' ? 'warn' : 'neutral';
}

function filterBlock(
  name: 'level' | 'channel',
  counts: readonly (readonly [value: string, count: number])[],
  chosen: Readonly<Record<'level' | 'channel', string>>,
  context: PanelContext,
): Block {
  const filters = counts.map(([value, count]) => ({
    label: value === '' ? `any ${name}` : value,
    count,
    href: context.link('logs', { ...chosen, [name]: value }),
    chosen: value === chosen[name],
  }));
  return { kind: 'filters', label: `Filter by ${name}`, filters };
}

/** Counts the recorded entries by channel, most frequent first. */
function channelCounts(logs: ProfileRecord['logs']): readonly (readonly [channel: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { channel } of logs) counts.set(channel, (counts.get(channel) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, maxChannels);
}

function omittedText({ omitted, omittedAfter, total }: RecordedLogTotals): string {
  const [first, last] = [formatCount(omittedAfter), formatCount(total - omitted - omittedAfter)];
  const left = `${formatCount(omitted)} of ${formatCount(total)} entries were left out`;
  return `${left}: the first ${first} and the last ${last} are kept. Levels count all of them.`;
}
