import type { Block } from './block.js';
import { dataBlocks } from './data-blocks.js';
import { plural } from './format.js';
import { icons } from './icons.js';
import type { Panel } from './panel.js';

/** What further collectors kept, as it is: for sections that brought no panel of their own. */
export const morePanel: Panel = {
  id: 'more',
  title: 'Collected',
  icon: icons.panel,
  badge({ sections }) {
    const count = Object.keys(sections).length;
    return count === 0 ? undefined : { count, tone: 'neutral', words: plural(count, 'section') };
  },
  show: ({ sections }) => {
    const entries = Object.entries(sections);
    if (entries.length === 0)
      return [{ kind: 'note', tone: 'neutral', text: 'No further collector kept anything.' }];
    return entries.map(([name, data]): Block => ({
      kind: 'section',
      title: name,
      blocks: dataBlocks(name, data),
    }));
  },
};
