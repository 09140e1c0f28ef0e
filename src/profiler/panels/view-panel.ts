import type { ViewSection } from '../collectors/create-render-collector.js';
import { formatBytes, formatMilliseconds } from '../words/format.js';
import { say } from '../words/say.js';
import type { Block } from './blocks/block.js';
import { badgeOf, captionOf, end, further, grow, mono, muted } from './blocks/make-blocks.js';
import type { Panel } from './panel.js';
import { createSectionPanel } from './section-panel.js';

/** What was rendered: each page or part with the time that it took. */
export const viewPanel: Panel = createSectionPanel<ViewSection>({
  id: 'view',
  title: 'Templates',
  icon: 'M4 5h16v14H4zM4 10h16M9 10v9',
  fields: ['renders', 'more'],
  badge({ renders, more }) {
    const count = renders.length + more;
    return badgeOf(count, '{n} template|{n} templates');
  },
  none: 'Nothing was rendered. Components rendered by lookback are observed without setup.',
  isQuiet: true,
  show: ({ renders, more }) => [
    {
      kind: 'table',
      caption: captionOf(say('Templates, in their order'), { shown: renders.length, more }),
      columns: [grow('Component'), end('Size'), end('Duration'), { ...end('After'), minor: true }],
      rows: renders.map(({ name, length, durationMs, startMs, components }, place) => ({
        anchor: `render-${place + 1}`,
        cells: [
          mono(name === '' ? '–' : name),
          formatBytes(length),
          formatMilliseconds(durationMs),
          muted(formatMilliseconds(startMs)),
        ],
        detail: componentTable(components),
      })),
    },
  ],
});

/** The longest first; records of former versions have none. */
function componentTable(components: ViewSection['renders'][number]['components'] = []): readonly Block[] {
  if (components.length === 0) return [];
  return [
    {
      kind: 'table',
      caption: say('Components, by what each took itself'),
      columns: [grow('Component'), end('Times'), end('Itself'), end('With those within')],
      rows: components.slice(0, maxComponents).map(({ name, count, ownMs, totalMs }) => ({
        cells: [
          mono(name === '' ? '–' : name),
          count,
          formatMilliseconds(ownMs),
          muted(formatMilliseconds(totalMs)),
        ],
      })),
    },
    ...further(components.length - maxComponents, '{n} further component|{n} further components'),
  ];
}

const maxComponents = 30;
