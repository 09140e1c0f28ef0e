import { createChannelCollector, type ListeningCollector } from '../create-channel-collector.js';
import { cleanTexts, type CompletedPart, definePart } from '../define-part.js';
import { messageText } from '../message-reader.js';

type State = 'defined' | 'fallback' | 'missing';

/** A catalogue message that a request used. */
export interface TranslationUse {
  readonly key: string;
  readonly locale: string;
  /** Locale whose text was used; empty if there was no text. */
  readonly used: string;
  readonly state: State;
  readonly count: number;
  /** Text with its values as it was first shown. */
  readonly text?: string;
}

export interface TranslationSection {
  readonly messages: readonly TranslationUse[];
  readonly more: number;
}

export const translationPart: CompletedPart = definePart<TranslationSection>({
  name: 'translation',
  clean: (section, redactor) => cleanTexts(section, redactor),
});

const maxMessages = 300;
const maxTextLength = 200;
const states: ReadonlySet<unknown> = new Set<State>(['defined', 'fallback', 'missing']);

interface Facts {
  readonly uses: Map<string, TranslationUse>;
  more: number;
}

/** Creates the `translation` collector of the messages that were looked up, including missing ones. */
export function createTranslationCollector(): ListeningCollector {
  return createChannelCollector<Facts>({
    part: translationPart,
    begin: () => ({ uses: new Map(), more: 0 }),
    channels: {
      'lookback:locale:message': (facts, message) => {
        const { uses } = facts;
        if (!states.has(message['state'])) return;
        const state = message['state'] as State; // just checked
        const key = messageText(message['key']);
        const locale = messageText(message['locale']);
        const used = messageText(message['used']);
        const place = `${state} ${locale} ${key}`;
        const known = uses.get(place);
        if (known === undefined && uses.size >= maxMessages) facts.more++;
        else
          uses.set(place, {
            key,
            locale,
            used,
            state,
            count: (known?.count ?? 0) + 1,
            text: known?.text ?? messageText(message['text'], maxTextLength),
          });
      },
    },
    section: (facts): TranslationSection | undefined =>
      facts && { messages: [...facts.uses.values()], more: facts.more },
  });
}
