import { type CacheSection, commandAnchor } from '../../collectors/outgoing/cache-collector.js';
import { formatMilliseconds } from '../../words/format.js';
import { mono, note } from '../blocks/make-blocks.js';
import { say } from '../../words/say.js';
import type { Panel } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { callSitePairs } from '../blocks/place-value.js';
import { callTable, pairOf } from './outgoing-blocks.js';

const answers = ['miss', 'hit'] as const;

/** The commands that a request gave to caches. */
export const cachePanel: Panel = createSectionPanel<CacheSection>({
  id: 'cache',
  title: 'Cache',
  icon: 'M4 7l8-4 8 4-8 4zm0 5 8 4 8-4M4 17l8 4 8-4',
  fields: ['commands', 'totals'],
  badge: ({ totals: { commands, failed } }) =>
    failed > 0
      ? {
          count: commands,
          tone: 'warn',
          words: say('{n} failed cache command|{n} failed cache commands', { n: failed }),
        }
      : {
          count: commands,
          tone: 'neutral',
          words: say('{n} cache command|{n} cache commands', { n: commands }),
        },
  none: () =>
    note(
      say(
        'No cache command in this record. ioredis 6 and redis 6 are seen by themselves; older versions and other clients are not. See docs/taps.md.',
      ),
    ),
  show: ({ commands, totals }, _record, context) => [
    {
      kind: 'metrics',
      metrics: [
        { label: say('commands'), value: totals.commands },
        { label: say('waiting'), value: formatMilliseconds(totals.durationMs) },
        { label: say('hits'), value: totals.hits },
        { label: say('misses'), value: totals.misses },
      ],
    },
    callTable({
      caption: say('Commands'),
      calls: commands,
      total: totals.commands,
      columns: [{ label: say('Command') }, { label: say('Key'), grow: true }, { label: say('Answer') }],
      row: ({ command, args, hit, error, callSite }, place) => ({
        anchor: commandAnchor(place),
        tone: error === null ? 'neutral' : 'error',
        cells: [mono(command), mono(args), hit === null ? '–' : say(answers[hit] ?? 'miss')],
        detail: [
          {
            kind: 'pairs',
            label: say('The command'),
            pairs: [...pairOf(say('Error'), error, { tone: 'error' }), ...callSitePairs(callSite, context)],
            empty: say('Where it was asked from is not known.'),
          },
        ],
      }),
    }),
  ],
});
