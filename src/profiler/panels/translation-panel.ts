import { say, sayKnown } from '../words/say.js';
import type { TranslationSection, TranslationUse } from '../collectors/create-translation-collector.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Block, Tone } from './blocks/block.js';
import { findSection } from '../collectors/find-section.js';
import { icons } from './blocks/icons.js';
import { captionOf, mono, note, section } from './blocks/make-blocks.js';
import type { Panel } from './panel.js';

const stateTones: Readonly<Record<TranslationUse['state'], Tone>> = {
  missing: 'warn',
  fallback: 'info',
  defined: 'neutral',
};

/** Which messages were looked up: the missing ones first, then those shown in another language. */
export const translationPanel: Panel = {
  id: 'translation',
  title: 'Translation',
  icon: icons.locale,
  section: 'translation',
  badge(record) {
    const messages = sectionOf(record)?.messages ?? [];
    const missing = messages.filter((message) => message.state === 'missing').length;
    if (missing > 0)
      return {
        count: missing,
        tone: 'warn',
        words: say('{n} missing message|{n} missing messages', { n: missing }),
      };
    if (messages.length === 0) return undefined;
    return {
      count: messages.length,
      tone: 'neutral',
      words: say('{n} message|{n} messages', { n: messages.length }),
    };
  },
  show(record) {
    const { messages, more } = sectionOf(record) ?? { messages: [], more: 0 };
    return [
      {
        kind: 'pairs',
        label: say('Locale'),
        pairs: [[say('Locale of the request'), mono(record.request.locale ?? 'none')]],
      },
      ...(more === 0 ? [] : [note(captionOf(say('Translation'), { shown: messages.length, more }), 'warn')]),
      ...(['missing', 'fallback', 'defined'] as const).map((state) => tableOf(state, messages)),
    ];
  },
};

const stateTitles: Readonly<Record<TranslationUse['state'], string>> = {
  missing: 'Missing',
  fallback: 'Shown in another language',
  defined: 'Found',
};

function tableOf(state: TranslationUse['state'], all: readonly TranslationUse[]): Block {
  const messages = all.filter((message) => message.state === state);
  const table: Block = {
    kind: 'table',
    caption: sayKnown(stateTitles[state]),
    columns: [
      { label: say('Key') },
      { label: say('Text'), grow: true },
      { label: say('Asked for') },
      { label: say('Shown in') },
      { label: say('Times'), align: 'end' },
    ],
    rows: messages.map(({ key, locale, used, count, text = '' }) => ({
      tone: stateTones[state],
      cells: [mono(key), text, mono(locale), mono(used === '' ? '–' : used), count],
    })),
    empty: state === 'missing' ? say('No message was missing.') : say('None.'),
  };
  return section(sayKnown(stateTitles[state]), table, { count: messages.length });
}

function sectionOf(record: ProfileRecord): TranslationSection | undefined {
  return findSection<TranslationSection>(record, 'translation', ['messages', 'more']);
}
