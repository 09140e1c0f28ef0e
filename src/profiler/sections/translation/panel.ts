import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block, Tone } from '../../view/block.js';
import { blocksOf, warning } from '../../view/make-blocks.js';
import { badgeOf, pairsOf } from '../../view/make-facts.js';
import { captionOf, column, tableSection } from '../../view/make-tables.js';
import { mono } from '../../view/make-values.js';
import type { Panel } from '../panel.js';
import type { TranslationSection, TranslationUse } from './section.js';
import { findSection } from '../define-section.js';

/** Message states in display order. */
const states: readonly { state: TranslationUse['state']; title: string; tone: Tone }[] = [
  { state: 'missing', title: 'Missing', tone: 'warn' },
  { state: 'fallback', title: 'Shown in another language', tone: 'info' },
  { state: 'defined', title: 'Found', tone: 'neutral' },
];

/** Messages looked up: missing ones first, then those shown in another language, then the others. */
export const translationPanel: Panel = {
  id: 'translation',
  title: 'Translation',
  group: 'request',
  section: 'translation',
  badge(record) {
    const { messages } = translationOf(record);
    const missing = messages.filter((message) => message.state === 'missing').length;
    return (
      badgeOf(missing, '{n} missing message|{n} missing messages', { tone: 'warn' }) ??
      badgeOf(messages.length, '{n} message|{n} messages')
    );
  },
  show(record) {
    const { messages, more } = translationOf(record);
    return blocksOf(
      pairsOf('Locale', [['Locale of the request', mono(record.request.locale ?? 'none')]]),
      more !== 0 && warning(captionOf('Translation', { shown: messages.length, more })),
      states.map(({ state, title, tone }) => {
        const uses = messages.filter((message) => message.state === state);
        return uses.length > 0 && messageTable(title, uses, tone);
      }),
    );
  },
};

function messageTable(title: string, uses: readonly TranslationUse[], tone: Tone): Block {
  return tableSection(title, uses, {
    columns: [
      column.plain('Key', ({ key }) => mono(key)),
      column.wide('Text', ({ text = '' }) => text),
      column.plain('Requested', ({ locale }) => mono(locale)),
      column.plain('Shown in', ({ used }) => mono(used || '–')),
      column.number('Times', ({ count }) => count),
    ],
    row: () => ({ tone }),
  });
}

function translationOf(record: ProfileRecord): TranslationSection {
  const section = findSection<TranslationSection>(record, 'translation', ['messages', 'more']);
  return section ?? { messages: [], more: 0 };
}
