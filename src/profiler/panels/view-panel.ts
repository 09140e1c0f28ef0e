import type { ViewSection } from '../collectors/create-render-collector.js';
import { formatBytes, formatMilliseconds } from '../words/format.js';
import type { Block, Value } from './blocks/block.js';
import {
  badgeOf,
  captionOf,
  numberColumn,
  furtherItems,
  wideColumn,
  mono,
  muted,
  table,
} from './blocks/make-blocks.js';
import type { Panel } from './panel.js';
import { createSectionPanel } from './section-panel.js';

/** Rendered pages and fragments with their durations. */
export const viewPanel: Panel = createSectionPanel<ViewSection>({
  id: 'view',
  title: 'Templates',
  fields: ['renders', 'more'],
  badge: ({ renders, more }) => badgeOf(renders.length + more, '{n} template|{n} templates'),
  none: 'Nothing was rendered. Components rendered by lookback are observed without setup.',
  isQuiet: true,
  show: ({ renders, more }) => [
    table(captionOf('Templates, in their order', { shown: renders.length, more }), renders, {
      columns: [
        wideColumn('Component', nameOf),
        numberColumn('Size', ({ length }) => formatBytes(length)),
        numberColumn('Duration', ({ durationMs }) => formatMilliseconds(durationMs)),
        numberColumn('After', ({ startMs }) => muted(formatMilliseconds(startMs)), { minor: true }),
      ],
      row: ({ components }, index) => ({
        anchor: `render-${index + 1}`,
        detail: componentTable(components),
      }),
    }),
  ],
});

/** Lists components, longest first; records of older versions have none. */
function componentTable(components: ViewSection['renders'][number]['components'] = []): readonly Block[] {
  if (components.length === 0) return [];
  return [
    table('Components, by what each took itself', components.slice(0, maxComponents), {
      columns: [
        wideColumn('Component', nameOf),
        numberColumn('Times', ({ count }) => count),
        numberColumn('Itself', ({ ownMs }) => formatMilliseconds(ownMs)),
        numberColumn('With those within', ({ totalMs }) => muted(formatMilliseconds(totalMs))),
      ],
    }),
    ...furtherItems(components.length - maxComponents, '{n} further component|{n} further components'),
  ];
}

const maxComponents = 30;

function nameOf({ name }: { readonly name: string }): Value {
  return mono(name === '' ? '–' : name);
}
