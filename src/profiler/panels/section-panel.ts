import { findSection } from '../collectors/find-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Block } from './blocks/block.js';
import { type Phrase, say } from '../words/say.js';
import { badgeOf, line, note, section } from './blocks/make-blocks.js';
import type { Panel, PanelContext } from './panel.js';
import { dataBlocks } from './blocks/data-blocks.js';
import { icons } from './blocks/icons.js';

interface SectionPanelOptions<Section> extends Omit<Panel, 'badge' | 'section' | 'show'> {
  /** Fields by which the section is known. */
  readonly fields: readonly (keyof Section & string)[];
  readonly badge: (section: Section, record: ProfileRecord) => ReturnType<Panel['badge']>;
  readonly show: (section: Section, record: ProfileRecord, context: PanelContext) => readonly Block[];
  /** What is shown where the record has no such section; quiet as plain text, else as a note. */
  readonly none: Phrase;
  readonly isQuiet?: boolean;
}

/** A panel of the section that has its id: without a badge where the record has none. */
export function createSectionPanel<Section>(options: SectionPanelOptions<Section>): Panel {
  const { fields, badge, show, none, isQuiet, ...panel } = options;
  const nothing = isQuiet === true ? line : note;
  const find = (record: ProfileRecord): Section | undefined => findSection(record, panel.id, fields);
  return {
    ...panel,
    section: panel.id,
    badge(record) {
      const section = find(record);
      return section === undefined ? undefined : badge(section, record);
    },
    show(record, context) {
      const section = find(record);
      return section === undefined ? [nothing(say(none))] : show(section, record, context);
    },
  };
}

/** What other collectors kept, as it is: the sections that none of `panels` shows. */
export function createMorePanel(panels: readonly Panel[]): Panel {
  // The page of the times shows who held up the event loop, beside its own section.
  const shown = new Set([...panels.map((panel) => panel.section), 'loop']);
  const entriesOf = ({ sections }: ProfileRecord): readonly (readonly [string, unknown])[] =>
    Object.entries(sections).filter(([name]) => !shown.has(name));
  return {
    id: 'more',
    title: say('Other data'),
    icon: icons.panel,
    badge: (record) => badgeOf(entriesOf(record).length, '{n} section|{n} sections'),
    show(record) {
      const entries = entriesOf(record);
      if (entries.length === 0) return [note(say('No other collector ran.'))];
      return entries.map(([name, data]) => section(name, dataBlocks(name, data)));
    },
  };
}
