import { findSection } from './define-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Blocks } from '../view/block.js';
import { blocksOf, code, line, note, section } from '../view/make-blocks.js';
import { badgeOf } from '../view/make-facts.js';
import type { Panel, PanelContext } from './panel.js';
import type { Section } from './section.js';
import { refusePromise } from './refuse-promise.js';

interface SectionPanelOptions<Section> extends Omit<Panel, 'badge' | 'section' | 'show'> {
  /** Fields that the section must have to be recognised. */
  readonly fields: readonly (keyof Section & string)[];
  readonly badge: (section: Section, record: ProfileRecord) => ReturnType<Panel['badge']>;
  readonly show: (section: Section, record: ProfileRecord, context: PanelContext) => Blocks;
  /** Text shown if the record has no such section. */
  readonly none: string;
}

/** Creates a panel for the section with the same id. It has no badge if the record lacks the section. */
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
      return blocksOf(section === undefined ? line(none) : show(section, record, context));
    },
  };
}

/** Creates a custom section's panel; undefined if it declares none. */
export function ownPanel({ id, title = id, group, panel }: Section): Panel | undefined {
  if (panel === undefined) return undefined;
  const { empty = 'Nothing in this record.', ...rest } = panel;
  const has = ({ sections }: ProfileRecord): boolean => Object.hasOwn(sections, id);
  return {
    ...rest,
    id,
    title,
    section: id,
    ...(group === undefined ? {} : { group }),
    badge: (record) =>
      has(record) ? copyBadge(refusePromise(panel.badge?.(record.sections[id], record))) : undefined,
    show: (record, context) =>
      has(record) ? refusePromise(panel.show(record.sections[id], record, context)) : [note(empty)],
  };
}

/** Copies a badge where an error is caught: a foreign object may throw when the page reads it. */
function copyBadge(given: ReturnType<Panel['badge']>): ReturnType<Panel['badge']> {
  if (typeof given !== 'object') return 'plain';
  const { count, tone, words } = given;
  return { count, tone, words };
}

/** Creates the “Other data” panel: sections that no panel in `panels` shows, as JSON. */
export function createMorePanel(panels: readonly Panel[]): Panel {
  // The time panel also shows the `loop` section, the request panel `multipart`, and the exception panel `throws`.
  const shown = new Set([...panels.map((panel) => panel.section), 'loop', 'multipart', 'throws']);
  const entriesOf = ({ sections }: ProfileRecord): readonly (readonly [string, unknown])[] =>
    Object.entries(sections).filter(([name]) => !shown.has(name));
  return {
    id: 'more',
    title: 'Other data',
    group: 'process',
    badge: (record) => badgeOf(entriesOf(record).length, '{n} section|{n} sections'),
    show(record) {
      const entries = entriesOf(record);
      if (entries.length === 0) return [note('No other collector ran.')];
      return entries.map(([name, data]) =>
        section(name, code('Data', JSON.stringify(data, null, 2), 'json')),
      );
    },
  };
}
