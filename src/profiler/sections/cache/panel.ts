import { formatMilliseconds } from '../../model/formatting.js';
import { badgeOf, callSitePairs, metricsOf, pairsOf } from '../../view/make-facts.js';
import { column, table } from '../../view/make-tables.js';
import { mono, styledText } from '../../view/make-values.js';
import type { Panel } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { type CacheSection, commandAnchor } from './section.js';
import { times } from '../../view/call-columns.js';

export const cachePanel: Panel = createSectionPanel<CacheSection>({
  id: 'cache',
  title: 'Cache',
  fields: ['commands', 'totals'],
  badge: ({ totals: { commands, failed } }) =>
    badgeOf(commands, '{n} failed cache command|{n} failed cache commands', { tone: 'warn', n: failed }) ??
    badgeOf(commands, '{n} cache command|{n} cache commands'),
  none: 'No cache command in this record. ioredis 6 and redis 6 are observed without setup; older versions and other clients are not. See docs/guides/instrumentation.md.',
  show: ({ commands, totals }, _record, context) => [
    metricsOf(
      [totals.commands === 1 ? 'command' : 'commands', totals.commands],
      ['waiting', formatMilliseconds(totals.durationMs)],
      ['hits', totals.hits],
      ['misses', totals.misses],
    ),
    table('Commands', commands, {
      more: totals.commands - commands.length,
      columns: [
        ...times,
        column.plain('Command', ({ command }) => mono(command)),
        column.wide('Key', ({ args }) => mono(args)),
        column.plain('Answer', ({ hit, isOpen }) =>
          isOpen ? 'none yet' : hit === null ? '–' : hit === 1 ? 'hit' : 'miss',
        ),
      ],
      row: ({ error, callSite, isOpen }, index) => ({
        anchor: commandAnchor(index),
        tone: error === null ? 'neutral' : 'error',
        detail: [
          pairsOf(
            'The command',
            [
              ['Error', styledText(error, { tone: 'error' })],
              ['State', isOpen ? 'no answer yet when the record was made' : null],
              ...callSitePairs({ callSite }, context),
            ],
            'The call site is not known.',
          ),
        ],
      }),
    }),
  ],
});
