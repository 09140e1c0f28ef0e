import type { ViewSection } from '../collectors/create-render-collector.js';
import { formatBytes, formatMilliseconds } from '../words/format.js';
import { say } from '../words/say.js';
import type { Block, Value } from './blocks/block.js';
import { badgeOf, captionOf, end, further, grow, mono, muted, table } from './blocks/make-blocks.js';
import type { Panel } from './panel.js';
import { createSectionPanel } from './section-panel.js';

/** Rendered pages and fragments with their durations. */
export const viewPanel: Panel = createSectionPanel<ViewSection>({
  id: 'view',
  title: 'Templates',
  icon: 'M4 5h16v14H4zM4 10h16M9 10v9',
  fields: ['renders', 'more'],
  badge: ({ renders, more }) => badgeOf(renders.length + more, '{n} template|{n} templates'),
  none: 'Nothing was rendered. Components rendered by lookback are observed without setup.',
  isQuiet: true,
  show: ({ renders, more }) => [
    table(captionOf(say('Templates, in their order'), { shown: renders.length, more }), renders, {
      columns: [
        grow('Component', nameOf),
        end('Size', ({ length }) => formatBytes(length)),
        end('Duration', ({ durationMs }) => formatMilliseconds(durationMs)),
        end('After', ({ startMs }) => muted(formatMilliseconds(startMs)), { minor: true }),
      ],
      row: ({ components }, place) => ({
        anchor: `render-${place + 1}`,
        detail: componentTable(components),
      }),
    }),
  ],
});

/** Lists components, longest first; records of older versions have none. */
function componentTable(components: ViewSection['renders'][number]['components'] = []): readonly Block[] {
  if (components.length === 0) return [];
  return [
    table(say('Components, by what each took itself'), components.slice(0, maxComponents), {
      columns: [
        grow('Component', nameOf),
        end('Times', ({ count }) => count),
        end('Itself', ({ ownMs }) => formatMilliseconds(ownMs)),
        end('With those within', ({ totalMs }) => muted(formatMilliseconds(totalMs))),
      ],
    }),
    ...further(components.length - maxComponents, '{n} further component|{n} further components'),
  ];
}

const maxComponents = 30;

function nameOf({ name }: { readonly name: string }): Value {
  return mono(name === '' ? '–' : name);
}
