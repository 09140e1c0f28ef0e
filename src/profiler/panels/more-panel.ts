import { say } from '../words/say.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { dataBlocks } from './blocks/data-blocks.js';
import { icons } from './blocks/icons.js';
import { note, section } from './blocks/make-blocks.js';
import type { Panel } from './panel.js';

/** What other collectors kept, as it is: the sections that none of `panels` shows. */
export function createMorePanel(panels: readonly Panel[]): Panel {
  const shown = new Set(panels.map((panel) => panel.section));
  const entriesOf = ({ sections }: ProfileRecord): readonly (readonly [string, unknown])[] =>
    Object.entries(sections).filter(([name]) => !shown.has(name));
  return {
    id: 'more',
    title: say('Other data'),
    icon: icons.panel,
    badge(record) {
      const count = entriesOf(record).length;
      return count === 0
        ? undefined
        : { count, tone: 'neutral', words: say('{n} section|{n} sections', { n: count }) };
    },
    show(record) {
      const entries = entriesOf(record);
      if (entries.length === 0) return [note(say('No other collector ran.'))];
      return entries.map(([name, data]) => section(name, dataBlocks(name, data)));
    },
  };
}
