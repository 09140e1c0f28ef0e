import type { DumpSection } from '../collectors/create-dump-collector.js';
import { findSection } from '../collectors/find-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { formatMilliseconds, shortPath } from '../words/format.js';
import { say } from '../words/say.js';
import type { Block } from './blocks/block.js';
import type { Panel, PanelContext } from './panel.js';

/** What the application gave to `dump()`, in its order, each with its place. */
export const dumpPanel: Panel = {
  id: 'dump',
  title: 'Dumps',
  icon: 'M6 4h12v7H6zM4 20h16M12 11v6m-3-3 3 3 3-3',
  section: 'dump',
  badge(record) {
    const count = totalOf(sectionOf(record));
    return count === 0
      ? undefined
      : { count, tone: 'neutral', words: say('{n} dump|{n} dumps', { n: count }) };
  },
  show(record, context) {
    const section = sectionOf(record);
    if (section === undefined)
      return [{ kind: 'text', text: say('No dumps. dump(value) of lookback puts a value here.') }];
    return [
      {
        kind: 'table',
        caption: say('Dumps'),
        columns: [
          { label: say('After'), align: 'end' },
          { label: say('Value'), grow: true },
        ],
        rows: section.dumps.map((dump) => ({
          open: true,
          cells: [{ text: formatMilliseconds(dump.offsetMs), muted: true }, placeOf(dump, context)],
          detail: [{ kind: 'picture', label: say('Value'), picture: dump.value } satisfies Block],
        })),
      },
      ...(section.more === 0
        ? []
        : [
            {
              kind: 'note',
              tone: 'warn',
              text: say('{n} further dump was left out.|{n} further dumps were left out.', {
                n: section.more,
              }),
            } satisfies Block,
          ]),
    ];
  },
};

function placeOf(
  dump: DumpSection['dumps'][number],
  { editor }: PanelContext,
): { text: string; mono?: boolean; href?: string } {
  const { label, name, file, line, column } = dump;
  const where = file === '' ? '' : `${shortPath(file)}:${line}`;
  const text = [label, name, where].filter((part) => part !== '').join(' · ');
  const href = file === '' ? undefined : editor(file, line, column)?.href;
  return { text: text === '' ? '–' : text, mono: true, ...(href === undefined ? {} : { href }) };
}

function totalOf(section: DumpSection | undefined): number {
  return section === undefined ? 0 : section.dumps.length + section.more;
}

function sectionOf(record: ProfileRecord): DumpSection | undefined {
  return findSection<DumpSection>(record, 'dump', ['dumps', 'more']);
}
