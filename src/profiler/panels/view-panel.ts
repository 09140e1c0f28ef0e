import type { ViewSection } from '../collectors/create-render-collector.js';
import { findSection } from '../collectors/find-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { formatBytes, formatMilliseconds } from '../words/format.js';
import { say } from '../words/say.js';
import type { Panel } from './panel.js';

/** What was rendered: each page or part with the time that it took. */
export const viewPanel: Panel = {
  id: 'view',
  title: 'Templates',
  icon: 'M4 5h16v14H4zM4 10h16M9 10v9',
  section: 'view',
  badge(record) {
    const section = sectionOf(record);
    if (section === undefined) return undefined;
    const count = section.renders.length + section.more;
    return { count, tone: 'neutral', words: say('{n} template|{n} templates', { n: count }) };
  },
  show(record) {
    const section = sectionOf(record);
    if (section === undefined)
      return [
        {
          kind: 'text',
          text: say('Nothing was rendered. Components rendered by lookback are seen by themselves.'),
        },
      ];
    return [
      {
        kind: 'table',
        caption: say('Templates, in their order'),
        columns: [
          { label: say('Component'), grow: true },
          { label: say('Size'), align: 'end' },
          { label: say('Duration'), align: 'end' },
          { label: say('After'), align: 'end', minor: true },
        ],
        rows: section.renders.map(({ name, length, durationMs, startMs }, place) => ({
          anchor: `render-${place + 1}`,
          cells: [
            { text: name === '' ? '–' : name, mono: true },
            formatBytes(length),
            formatMilliseconds(durationMs),
            { text: formatMilliseconds(startMs), muted: true },
          ],
        })),
      },
    ];
  },
};

function sectionOf(record: ProfileRecord): ViewSection | undefined {
  return findSection<ViewSection>(record, 'view', ['renders', 'more']);
}
