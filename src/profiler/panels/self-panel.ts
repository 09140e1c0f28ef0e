import {
  badgeOf,
  mono,
  muted,
  numberColumn,
  type Pair,
  pairsOf,
  section,
  table,
  wideColumn,
} from './blocks/make-blocks.js';
import { say } from '#phrases';
import type { Panel } from './panel.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { formatBytes, formatCount, formatMilliseconds } from '../words/format.js';
import type { Block } from './blocks/block.js';
import { stateBlocks } from './blocks/state-blocks.js';

/** The configuration under which the request ran. */
export const configPanel: Panel = {
  id: 'config',
  title: 'Configuration',
  badge: () => 'plain',
  show: (record) => [
    pairsOf(
      'Configuration',
      Object.entries(record.config).map(([name, value]) => configPair(name, value)),
      'Nothing was recorded about the configuration.',
    ),
  ],
};

/** A setting: sizes and ages in units, lists and versions that are not set as a word. */
function configPair(name: string, value: string | number | boolean): Pair {
  if (value === '') return [name, muted('none')];
  if (typeof value !== 'number' || !name.startsWith('retention')) return [name, mono(String(value))];
  if (name.endsWith(' bytes')) return ['retention size', formatBytes(value)];
  if (!name.endsWith(' (s)')) return [name, formatCount(value)];
  const days = value / 86_400;
  const isWhole = Number.isInteger(days);
  return [
    'retention age',
    isWhole ? say('{n} day|{n} days', { n: days }) : say('{n} second|{n} seconds', { n: value }),
  ];
}

/** The profiler itself: its cost in this request and in the process, what its bounds truncated, and the state of its store. */
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
  inToolbar: false,
  show: (record, context) => [recordSection(record), ...stateBlocks(context.profiler)],
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
