import type { DumpSection } from '../collectors/create-dump-collector.js';
import { formatMilliseconds } from '../words/format.js';
import { say } from '../words/say.js';
import type { RichValue } from './blocks/block.js';
import { badgeOf, end, further, grow, muted, warning } from './blocks/make-blocks.js';
import { placeValue } from './blocks/place-value.js';
import type { Panel, PanelContext } from './panel.js';
import { createSectionPanel } from './section-panel.js';

/** What the application gave to `dump()`, in its order, each with its place. */
export const dumpPanel: Panel = createSectionPanel<DumpSection>({
  id: 'dump',
  title: 'Dumps',
  icon: 'M6 4h12v7H6zM4 20h16M12 11v6m-3-3 3 3 3-3',
  fields: ['dumps', 'more'],
  badge({ dumps, more }) {
    const count = dumps.length + more;
    return count === 0 ? undefined : badgeOf(count, '{n} dump|{n} dumps');
  },
  none: 'No dumps. dump(value) of lookback puts a value here.',
  isQuiet: true,
  show: ({ dumps, more }, _record, context) => [
    {
      kind: 'table',
      caption: say('Dumps'),
      columns: [end('After'), grow('Value')],
      rows: dumps.map((dump) => ({
        open: true,
        cells: [muted(formatMilliseconds(dump.offsetMs)), placeOf(dump, context)],
        detail: [{ kind: 'picture', label: say('Value'), picture: dump.value }],
      })),
    },
    ...further(more, '{n} further dump was left out.|{n} further dumps were left out.', warning),
  ],
});

function placeOf({ label, name, ...place }: DumpSection['dumps'][number], context: PanelContext): RichValue {
  const named = [label, name].filter((part) => part !== '').join(' · ');
  return placeValue({ ...place, name: named }, context.editor);
}
