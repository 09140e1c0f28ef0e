import {
  type CacheCommand,
  type CacheSection,
  commandAnchor,
} from '../../collectors/outgoing/cache-collector.js';
import { findSection } from '../../collectors/find-section.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Row } from '../blocks/block.js';
import { formatMilliseconds, plural } from '../../words/format.js';
import type { Panel, PanelContext } from '../panel.js';
import { callSitePairs, nothingRecorded, pairOf, timeCell } from './outgoing-blocks.js';

const answers = ['miss', 'hit'];

/** The commands that a request gave to caches. */
export const cachePanel: Panel = {
  id: 'cache',
  title: 'Cache',
  icon: 'M4 7l8-4 8 4-8 4zm0 5 8 4 8-4M4 17l8 4 8-4',
  section: 'cache',
  badge(record) {
    const totals = sectionOf(record)?.totals;
    if (totals === undefined) return undefined;
    const { commands, failed } = totals;
    if (failed > 0) return { count: commands, tone: 'warn', words: plural(failed, 'failed cache command') };
    return { count: commands, tone: 'neutral', words: plural(commands, 'cache command') };
  },
  show(record, context) {
    const section = sectionOf(record);
    if (section === undefined)
      return nothingRecorded(
        'cache command',
        'ioredis 6 and redis 6 are seen by themselves; older versions and other clients are not.',
      );
    const { commands, totals } = section;
    return [
      {
        kind: 'metrics',
        metrics: [
          { label: 'commands', value: totals.commands },
          { label: 'waiting', value: formatMilliseconds(totals.durationMs) },
          { label: 'hits', value: totals.hits },
          { label: 'misses', value: totals.misses },
        ],
      },
      {
        kind: 'table',
        caption: `Commands${totals.commands > commands.length ? `, the first ${commands.length} of ${totals.commands}` : ''}`,
        columns: [
          { label: 'After', align: 'end', minor: true },
          { label: 'Duration', align: 'end' },
          { label: 'Command' },
          { label: 'Key', grow: true },
          { label: 'Answer' },
        ],
        rows: commands.map((command, place) => rowOf(command, place, context)),
        empty: '',
      },
    ];
  },
};

function rowOf(command: CacheCommand, place: number, context: PanelContext): Row {
  const { hit, error } = command;
  return {
    anchor: commandAnchor(place),
    tone: error === null ? 'neutral' : 'error',
    cells: [
      { text: formatMilliseconds(command.offsetMs), mono: true, muted: true },
      timeCell(command.durationMs),
      { text: command.command, mono: true },
      { text: command.args, mono: true },
      hit === null ? '' : (answers[hit] ?? ''),
    ],
    detail: [
      {
        kind: 'pairs',
        label: 'The command',
        pairs: [...pairOf('Error', error, { tone: 'error' }), ...callSitePairs(command.callSite, context)],
        empty: 'Where it was asked from is not known.',
      },
    ],
  };
}

function sectionOf(record: ProfileRecord): CacheSection | undefined {
  return findSection<CacheSection>(record, 'cache', ['commands', 'totals']);
}
