import {
  badgeOf,
  mono,
  muted,
  numberColumn,
  pairsOf,
  section,
  table,
  wideColumn,
} from './blocks/make-blocks.js';
import type { Panel } from './panel.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { formatBytes, formatCount, formatMilliseconds } from '../words/format.js';
import type { Block } from './blocks/block.js';

/** The configuration under which the request ran. */
export const configPanel: Panel = {
  id: 'config',
  title: 'Configuration',
  badge: () => 'plain',
  show: (record) => [
    pairsOf(
      'Configuration',
      Object.entries(record.config).map(([name, value]) => [
        name,
        value === '' ? muted('none') : mono(String(value)),
      ]),
      'Nothing was recorded about the configuration.',
    ),
  ],
};

/** The profiler itself: its cost in this request, and what its bounds truncated. The list of requests has its state. */
export const selfPanel: Panel = {
  id: 'self',
  title: 'Profiler',
  // A long body is nothing to warn about (our own error page is one), nor is a trace that a busy machine had no time for.
  badge: ({ limits }) =>
    badgeOf(
      limits.filter(({ what }) => !what.endsWith(' body') && what !== 'routing trace').length,
      '{n} part was cut|{n} parts were cut',
      { tone: 'warn' },
    ) ?? 'plain',
  show: (record) => [recordSection(record)],
};

function recordSection(record: ProfileRecord): Block {
  return section('This record', [
    pairsOf('This record', [
      ['State', record.state],
      ['Schema', record.schema],
      ['Size', formatBytes(record.cost.bytes)],
      ['Profiler overhead', formatMilliseconds(record.cost.recordMs)],
    ]),
    table('What bounds cut away', record.limits, {
      columns: [
        wideColumn('What', ({ what }) => what),
        numberColumn('Kept', ({ kept }) => formatCount(kept)),
        numberColumn('Of', ({ total }) => formatCount(total)),
        numberColumn('Limit', ({ limit }) => formatCount(limit)),
      ],
      row: () => ({ tone: 'warn' }),
      empty: 'Nothing was cut away from this record.',
    }),
  ]);
}
