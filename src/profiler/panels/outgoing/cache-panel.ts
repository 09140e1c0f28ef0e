import { type CacheSection, commandAnchor } from '../../collectors/outgoing/cache-collector.js';
import { formatMilliseconds } from '../../words/format.js';
import { mono } from '../blocks/make-blocks.js';
import type { Panel } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { callBadge, callSitePairs, callTable, noneTold, pairOf } from './outgoing-blocks.js';

const answers = ['miss', 'hit'];

/** The commands that a request gave to caches. */
export const cachePanel: Panel = createSectionPanel<CacheSection>({
  id: 'cache',
  title: 'Cache',
  icon: 'M4 7l8-4 8 4-8 4zm0 5 8 4 8-4M4 17l8 4 8-4',
  fields: ['commands', 'totals'],
  badge: ({ totals: { commands, failed } }) => callBadge(commands, failed, 'cache command'),
  none: () =>
    noneTold(
      'cache command',
      'ioredis 6 and redis 6 are seen by themselves; older versions and other clients are not.',
    ),
  show: ({ commands, totals }, _record, context) => [
    {
      kind: 'metrics',
      metrics: [
        { label: 'commands', value: totals.commands },
        { label: 'waiting', value: formatMilliseconds(totals.durationMs) },
        { label: 'hits', value: totals.hits },
        { label: 'misses', value: totals.misses },
      ],
    },
    callTable({
      caption: 'Commands',
      calls: commands,
      total: totals.commands,
      columns: [{ label: 'Command' }, { label: 'Key', grow: true }, { label: 'Answer' }],
      row: ({ command, args, hit, error, callSite }, place) => ({
        anchor: commandAnchor(place),
        tone: error === null ? 'neutral' : 'error',
        cells: [mono(command), mono(args), hit === null ? '' : (answers[hit] ?? '')],
        detail: [
          {
            kind: 'pairs',
            label: 'The command',
            pairs: [...pairOf('Error', error, { tone: 'error' }), ...callSitePairs(callSite, context)],
            empty: 'Where it was asked from is not known.',
          },
        ],
      }),
    }),
  ],
});
