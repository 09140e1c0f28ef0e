import type { ProfileRecord } from '../model/profile-record.js';
import { formatBytes, formatCount, formatMilliseconds } from '../words/format.js';
import { say } from '../words/say.js';
import type { Block } from './blocks/block.js';
import { badgeOf, numberColumn, wideColumn, pairsOf, section, table } from './blocks/make-blocks.js';
import { stateBlocks } from './blocks/state-blocks.js';
import type { Panel } from './panel.js';

/** The profiler itself: its cost in this request and in the process, what its bounds truncated, and the state of its store. */
export const selfPanel: Panel = {
  id: 'self',
  title: 'Profiler',
  icon: 'M12 3a9 9 0 1 0 9 9M12 8v4l3 2M16 3h5v5',
  badge: ({ limits }) =>
    badgeOf(limits.length, '{n} part was cut|{n} parts were cut', { tone: 'warn' }) ?? 'plain',
  inToolbar: false,
  show: (record, context) => [recordSection(record), ...stateBlocks(context.profiler)],
};

function recordSection(record: ProfileRecord): Block {
  return section(say('This record'), [
    pairsOf(say('This record'), [
      [say('State'), record.state],
      [say('Schema'), record.schema],
      [say('Size'), formatBytes(record.cost.bytes)],
      [say('Profiler overhead'), formatMilliseconds(record.cost.recordMs)],
    ]),
    table(say('What bounds cut away'), record.limits, {
      columns: [
        wideColumn('What', ({ what }) => what),
        numberColumn('Kept', ({ kept }) => formatCount(kept)),
        numberColumn('Of', ({ total }) => formatCount(total)),
        numberColumn('Limit', ({ limit }) => formatCount(limit)),
      ],
      row: () => ({ tone: 'warn' }),
      empty: say('Nothing was cut away from this record.'),
    }),
  ]);
}
