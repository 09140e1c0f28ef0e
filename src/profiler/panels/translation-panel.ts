import type { TranslationSection, TranslationUse } from '../collectors/create-translation-collector.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Block, Tone } from './blocks/block.js';
import { findSection } from '../collectors/find-section.js';
import {
  badgeOf,
  captionOf,
  column,
  numberColumn,
  wideColumn,
  mono,
  note,
  pairsOf,
  compact,
  tableSection,
} from './blocks/make-blocks.js';
import type { Panel } from './panel.js';

const stateTones: Readonly<Record<TranslationUse['state'], Tone>> = {
  missing: 'warn',
  fallback: 'info',
  defined: 'neutral',
};

/** Messages that were looked up: missing ones first, then those shown in another language, then the others. */
export const translationPanel: Panel = {
  id: 'translation',
  title: 'Translation',
  section: 'translation',
  badge(record) {
    const messages = sectionOf(record)?.messages ?? [];
    const missing = messages.filter((message) => message.state === 'missing').length;
    return (
      badgeOf(missing, '{n} missing message|{n} missing messages', { tone: 'warn' }) ??
      badgeOf(messages.length, '{n} message|{n} messages')
    );
  },
  show(record) {
    const { messages, more } = sectionOf(record) ?? { messages: [], more: 0 };
    return [
      pairsOf('Locale', [['Locale of the request', mono(record.request.locale ?? 'none')]]),
      ...compact(more !== 0 && note(captionOf('Translation', { shown: messages.length, more }), 'warn')),
      ...(['missing', 'fallback', 'defined'] as const).flatMap((state) => tableOf(state, messages)),
    ];
  },
};

const stateTitles: Readonly<Record<TranslationUse['state'], string>> = {
  missing: 'Missing',
  fallback: 'Shown in another language',
  defined: 'Found',
};

function tableOf(state: TranslationUse['state'], all: readonly TranslationUse[]): readonly Block[] {
  const messages = all.filter((message) => message.state === state);
  if (messages.length === 0) return [];
  const table = tableSection(stateTitles[state], messages, {
    columns: [
      column('Key', ({ key }) => mono(key)),
      wideColumn('Text', ({ text = '' }) => text),
      column('Requested', ({ locale }) => mono(locale)),
      column('Shown in', ({ used }) => mono(used === '' ? '–' : used)),
      numberColumn('Times', ({ count }) => count),
    ],
    row: () => ({ tone: stateTones[state] }),
  });
  return [table];
}

function sectionOf(record: ProfileRecord): TranslationSection | undefined {
  return findSection<TranslationSection>(record, 'translation', ['messages', 'more']);
}
