import { section } from '../../view/make-blocks.js';
import { badgeOf, pairsOf } from '../../view/make-facts.js';
import { column, table, tableSection } from '../../view/make-tables.js';
import { mono, muted } from '../../view/make-values.js';
import { ownMsOf } from '../event-loop/section.js';
import type { Panel } from '../panel.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { formatBytes, formatCount, formatMilliseconds } from '../../model/formatting.js';

type Library = NonNullable<ProfileRecord['libraries']>[number];

/** The configuration under which the request ran. */
export const configPanel: Panel = {
  id: 'config',
  title: 'Configuration',
  group: 'process',
  badge: () => 'plain',
  show: (record) => [
    pairsOf(
      'Configuration',
      Object.entries(record.config).map(([name, value]) => [
        name,
        value === '' ? muted('none') : mono(withUnit(name, value)),
      ]),
      'Nothing was recorded about the configuration.',
    ),
    ...(record.libraries === undefined
      ? []
      : [
          tableSection('Libraries', record.libraries, {
            columns: [
              column.plain('Library', ({ name }) => mono(name)),
              column.plain('Version', ({ version }) => mono(version)),
              column.wide('Recorded', describeLibrary),
            ],
            row: ({ isRecorded }) => (isRecorded ? {} : { tone: 'warn' }),
            empty: 'No known library was found among the loaded modules. Those in a bundle are not found.',
          }),
        ]),
  ],
};

function describeLibrary({ isLoaded, isRecorded, records = '', why = '' }: Library): string {
  if (isRecorded) return isLoaded ? 'yes' : 'if loaded: Node does not report ECMAScript modules';
  return `not its ${records}: ${why}`;
}

/** Formats bodies by size, and everything else by number. */
function amountOf(what: string, amount: number): string {
  return what.endsWith(' body') ? formatBytes(amount) : formatCount(amount);
}

/** Formats sizes with a unit. */
function withUnit(name: string, value: unknown): string {
  return /\bbytes$/.test(name) && typeof value === 'number' ? formatBytes(value) : String(value);
}

/**
 * The profiler itself: its cost in this request, and what its limits truncated. Its state is shown with the request
 * list.
 */
export const selfPanel: Panel = {
  id: 'self',
  title: 'Profiler',
  group: 'process',
  // Not warned about: long bodies (our own error page is one), and traces skipped because the machine was busy.
  badge: ({ limits }) =>
    badgeOf(
      limits.filter(({ what }) => !what.endsWith(' body') && what !== 'routing trace').length,
      '{n} part was cut|{n} parts were cut',
      { tone: 'warn' },
    ) ?? 'plain',
  show: ({ state, schema, cost, limits, sections }) => [
    section('This record', [
      pairsOf('This record', [
        ['State', state],
        ['Schema', schema],
        ['Size', formatBytes(cost.bytes)],
        ['Profiler overhead', formatMilliseconds(cost.recordMs + ownMsOf(sections['loop']))],
      ]),
      table('Truncated by limits', limits, {
        columns: [
          column.wide('What', ({ what }) => what),
          column.number('Kept', ({ what, kept }) => amountOf(what, kept)),
          column.number('Of', ({ what, total }) => amountOf(what, total)),
          column.number('Limit', ({ what, limit }) => amountOf(what, limit)),
        ],
        row: () => ({ tone: 'warn' }),
        empty: 'Nothing was cut from this record.',
      }),
    ]),
  ],
};
