import type { DumpSection } from '../collectors/create-dump-collector.js';
import { formatMilliseconds } from '../words/format.js';
import { say } from '../words/say.js';
import type { RichValue } from './blocks/block.js';
import {
  badgeOf,
  numberColumn,
  furtherItems,
  wideColumn,
  muted,
  table,
  warning,
} from './blocks/make-blocks.js';
import { placeValue } from './blocks/place-value.js';
import type { Panel, PanelContext } from './panel.js';
import { createSectionPanel } from './section-panel.js';

/** Values that the application passed to `dump()`, in order, each with its call site. */
export const dumpPanel: Panel = createSectionPanel<DumpSection>({
  id: 'dump',
  title: 'Dumps',
  icon: 'M6 4h12v7H6zM4 20h16M12 11v6m-3-3 3 3 3-3',
  fields: ['dumps', 'more'],
  badge: ({ dumps, more }) => badgeOf(dumps.length + more, '{n} dump|{n} dumps'),
  none: 'No dumps. dump(value) of lookback puts a value here.',
  isQuiet: true,
  show: ({ dumps, more }, _record, context) => [
    table(say('Dumps'), dumps, {
      columns: [
        numberColumn('After', ({ offsetMs }) => muted(formatMilliseconds(offsetMs))),
        wideColumn('Value', (dump) => placeOf(dump, context)),
      ],
      row: ({ value: picture }) => ({
        open: true,
        detail: [{ kind: 'picture', label: say('Value'), picture }],
      }),
    }),
    ...furtherItems(more, '{n} further dump was left out.|{n} further dumps were left out.', warning),
  ],
});

function placeOf({ label, name, ...place }: DumpSection['dumps'][number], context: PanelContext): RichValue {
  const named = [label, name].filter((part) => part !== '').join(' · ');
  return placeValue({ ...place, name: named }, context.editor);
}
