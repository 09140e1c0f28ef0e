import { compact, furtherItems, snapshotBlock, warning } from '../../view/make-blocks.js';
import { badgeOf } from '../../view/make-facts.js';
import { column, table } from '../../view/make-tables.js';
import { locationValue } from '../../view/make-values.js';
import type { Panel } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import type { DumpSection } from './section.js';

/** Values passed to `dump()`, in order, each with its call site. */
export const dumpPanel: Panel = createSectionPanel<DumpSection>({
  id: 'dump',
  title: 'Dumps',
  fields: ['dumps', 'more'],
  badge: ({ dumps, more }) => badgeOf(dumps.length + more, '{n} dump|{n} dumps'),
  none: 'No dumps. dump(value) of lookback puts a value here.',
  show: ({ dumps, more }, _record, context) => [
    table('Dumps', dumps, {
      columns: [
        column.at(({ offsetMs }) => offsetMs),
        column.wide('Value', ({ label, name, ...location }) =>
          locationValue(
            { ...location, name: compact(label !== '' && label, name !== '' && name).join(' · ') },
            context.editor,
          ),
        ),
      ],
      row: ({ value }) => ({ open: true, detail: [snapshotBlock('Value', value)] }),
    }),
    furtherItems(more, '{n} further dump was left out.|{n} further dumps were left out.', warning),
  ],
});
