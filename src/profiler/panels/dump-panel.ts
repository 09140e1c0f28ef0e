import type { DumpSection } from '../collectors/create-dump-collector.js';
import { formatMilliseconds } from '../words/format.js';
import type { RichValue } from './blocks/block.js';
import {
  badgeOf,
  numberColumn,
  furtherItems,
  wideColumn,
  muted,
  table,
  warning,
  placeValue,
} from './blocks/make-blocks.js';
import type { Panel, PanelContext } from './panel.js';
import { createSectionPanel } from './section-panel.js';

/** Values that the application passed to `dump()`, in order, each with its call site. */
export const dumpPanel: Panel = createSectionPanel<DumpSection>({
  id: 'dump',
  title: 'Dumps',
  fields: ['dumps', 'more'],
  badge: ({ dumps, more }) => badgeOf(dumps.length + more, '{n} dump|{n} dumps'),
  none: 'No dumps. dump(value) of lookback puts a value here.',
  isQuiet: true,
  show: ({ dumps, more }, _record, context) => [
    table('Dumps', dumps, {
      columns: [
        numberColumn('After', ({ offsetMs }) => muted(formatMilliseconds(offsetMs))),
        wideColumn('Value', (dump) => placeOf(dump, context)),
      ],
      row: ({ value: picture }) => ({
        open: true,
        detail: [{ kind: 'picture', label: 'Value', picture }],
      }),
    }),
    ...furtherItems(more, '{n} further dump was left out.|{n} further dumps were left out.', warning),
  ],
});

function placeOf({ label, name, ...place }: DumpSection['dumps'][number], context: PanelContext): RichValue {
  const named = [label, name].filter((part) => part !== '').join(' · ');
  return placeValue({ ...place, name: named }, context.editor);
}
