import type { ViewSection } from '../collectors/create-render-collector.js';
import { formatBytes, formatMilliseconds } from '../words/format.js';
import { say } from '../words/say.js';
import type { Block } from './blocks/block.js';
import { captionOf, mono, note } from './blocks/make-blocks.js';
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
    return { count, tone: 'neutral', words: say('{n} template|{n} templates', { n: count }) };
  },
  none: () => ({
    kind: 'text',
    text: say('Nothing was rendered. Components rendered by lookback are seen by themselves.'),
  }),
  show: ({ renders, more }) => [
    {
      kind: 'table',
      caption: captionOf(say('Templates, in their order'), { shown: renders.length, more }),
      columns: [
        { label: say('Component'), grow: true },
        { label: say('Size'), align: 'end' },
        { label: say('Duration'), align: 'end' },
        { label: say('After'), align: 'end', minor: true },
      ],
      rows: renders.map(({ name, length, durationMs, startMs, components }, place) => ({
        anchor: `render-${place + 1}`,
        cells: [
          mono(name === '' ? '–' : name),
          formatBytes(length),
          formatMilliseconds(durationMs),
          { text: formatMilliseconds(startMs), muted: true },
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
      columns: [
        { label: say('Component'), grow: true },
        { label: say('Times'), align: 'end' },
        { label: say('Itself'), align: 'end' },
        { label: say('With those within'), align: 'end' },
      ],
      rows: components.slice(0, maxComponents).map(({ name, count, ownMs, totalMs }) => ({
        cells: [
          mono(name === '' ? '–' : name),
          count,
          formatMilliseconds(ownMs),
          { text: formatMilliseconds(totalMs), muted: true },
        ],
      })),
    },
    ...(components.length > maxComponents
      ? [note(say('{n} further component|{n} further components', { n: components.length - maxComponents }))]
      : []),
  ];
}

const maxComponents = 30;
