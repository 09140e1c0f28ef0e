import { type CacheSection, commandAnchor } from '../../collectors/outgoing/cache-collector.js';
import { formatMilliseconds } from '../../words/format.js';
import {
  badgeOf,
  column,
  wideColumn,
  metric,
  metricsOf,
  mono,
  pairsOf,
  styledText,
} from '../blocks/make-blocks.js';
import { say } from '../../words/say.js';
import type { Panel } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { callSitePairs } from '../blocks/place-value.js';
import { callTable } from './outgoing-blocks.js';

const answers = ['miss', 'hit'] as const;

/** Cache commands of the request. */
export const cachePanel: Panel = createSectionPanel<CacheSection>({
  id: 'cache',
  title: 'Cache',
  icon: 'M4 7l8-4 8 4-8 4zm0 5 8 4 8-4M4 17l8 4 8-4',
  fields: ['commands', 'totals'],
  badge: ({ totals: { commands, failed } }) =>
    badgeOf(commands, '{n} failed cache command|{n} failed cache commands', { tone: 'warn', n: failed }) ??
    badgeOf(commands, '{n} cache command|{n} cache commands'),
  none: 'No cache command in this record. ioredis 6 and redis 6 are observed without setup; older versions and other clients are not. See docs/taps.md.',
  show: ({ commands, totals }, _record, context) => [
    metricsOf([
      metric('commands', totals.commands),
      metric('waiting', formatMilliseconds(totals.durationMs)),
      metric('hits', totals.hits),
      metric('misses', totals.misses),
    ]),
    callTable(say('Commands'), commands, {
      total: totals.commands,
      columns: [
        column('Command', ({ command }) => mono(command)),
        wideColumn('Key', ({ args }) => mono(args)),
        column('Answer', ({ hit }) => (hit === null ? '–' : say(answers[hit] ?? 'miss'))),
      ],
      row: ({ error, callSite }, index) => ({
        anchor: commandAnchor(index),
        tone: error === null ? 'neutral' : 'error',
        detail: [
          pairsOf(
            say('The command'),
            [[say('Error'), styledText(error, { tone: 'error' })], ...callSitePairs(callSite, context)],
            say('Where it was asked from is not known.'),
          ),
        ],
      }),
    }),
  ],
});
