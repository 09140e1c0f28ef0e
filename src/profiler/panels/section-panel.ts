import { findSection } from '../collectors/find-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Block } from './blocks/block.js';
import type { Panel, PanelContext } from './panel.js';

interface SectionPanelOptions<Section> extends Omit<Panel, 'badge' | 'section' | 'show'> {
  /** Fields by which the section is known. */
  readonly fields: readonly (keyof Section & string)[];
  readonly badge: (section: Section, record: ProfileRecord) => ReturnType<Panel['badge']>;
  readonly show: (section: Section, record: ProfileRecord, context: PanelContext) => readonly Block[];
  /** What is shown where the record has no such section. */
  readonly none: () => Block;
}

/** A panel of the section that has its id: without a badge where the record has none. */
export function createSectionPanel<Section>(options: SectionPanelOptions<Section>): Panel {
  const { fields, badge, show, none, ...panel } = options;
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
      return section === undefined ? [none()] : show(section, record, context);
    },
  };
}
