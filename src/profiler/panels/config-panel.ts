import { say } from '../words/say.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Block } from './blocks/block.js';
import { formatBytes, formatCount, formatMilliseconds } from '../words/format.js';
import { icons } from './blocks/icons.js';
import { mono, section } from './blocks/make-blocks.js';
import type { Panel } from './panel.js';
import { stateBlocks } from './blocks/state-blocks.js';

/** The settings that the request ran under, what the record's own bounds cut away, and how the profiler is. */
export const configPanel: Panel = {
  id: 'config',
  title: 'Configuration',
  icon: icons.config,
  badge: () => 'plain',
  show: (record, context) => [
    {
      kind: 'pairs',
      label: say('Configuration'),
      pairs: Object.entries(record.config).map(([name, value]) => [name, mono(String(value))]),
      empty: say('Nothing was recorded about the configuration.'),
    },
    recordSection(record),
    ...stateBlocks(context.profiler),
  ],
};

function recordSection(record: ProfileRecord): Block {
  return section(say('This record'), [
    {
      kind: 'pairs',
      label: say('This record'),
      pairs: [
        [say('State'), record.state],
        [say('Schema'), record.schema],
        [say('Size'), formatBytes(record.cost.bytes)],
        [say('Profiler overhead'), formatMilliseconds(record.cost.recordMs)],
      ],
    },
    {
      kind: 'table',
      caption: say('What bounds cut away'),
      columns: [
        { label: say('What'), grow: true },
        { label: say('Kept'), align: 'end' },
        { label: say('Of'), align: 'end' },
        { label: say('Limit'), align: 'end' },
      ],
      rows: record.limits.map(({ what, kept, total, limit }) => ({
        tone: 'warn',
        cells: [what, formatCount(kept), formatCount(total), formatCount(limit)],
      })),
      empty: say('Nothing was cut away from this record.'),
    },
  ]);
}
