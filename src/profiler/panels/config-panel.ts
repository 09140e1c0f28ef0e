import type { ProfileRecord } from '../model/profile-record.js';
import type { Block } from './blocks/block.js';
import { formatBytes, formatCount } from './blocks/format.js';
import { icons } from './blocks/icons.js';
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
      label: 'Configuration',
      pairs: Object.entries(record.config).map(([name, value]) => [
        name,
        { text: String(value), mono: true },
      ]),
      empty: 'Nothing was recorded about the configuration.',
    },
    recordSection(record),
    ...stateBlocks(context.profiler),
  ],
};

function recordSection(record: ProfileRecord): Block {
  return {
    kind: 'section',
    title: 'This record',
    blocks: [
      {
        kind: 'pairs',
        label: 'This record',
        empty: '',
        pairs: [
          ['State', record.state],
          ['Schema', record.schema],
          ['Size', formatBytes(record.cost.bytes)],
        ],
      },
      {
        kind: 'table',
        caption: 'What bounds cut away',
        columns: [
          { label: 'What', grow: true },
          { label: 'Kept', align: 'end' },
          { label: 'Of', align: 'end' },
          { label: 'Limit', align: 'end' },
        ],
        rows: record.limits.map((limit) => ({
          tone: 'warn',
          cells: [limit.what, formatCount(limit.kept), formatCount(limit.total), formatCount(limit.limit)],
        })),
        empty: 'Nothing was cut away from this record.',
      },
    ],
  };
}
