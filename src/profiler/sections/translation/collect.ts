import { createChannelCollector } from '../collect-messages.js';
import type { CollectedSection } from '../section.js';
import { messageText } from '../message-reader.js';
import {
  type State,
  type TranslationSection,
  type TranslationUse,
  translationDefinition,
} from './section.js';

const maxMessages = 300;

const maxTextLength = 200;

const states: ReadonlySet<unknown> = new Set<State>(['defined', 'fallback', 'missing']);

interface Facts {
  readonly uses: Map<string, TranslationUse>;
  more: number;
}

/** Creates the `translation` collector of looked-up messages, including missing ones. */
export function createTranslationCollector(): CollectedSection {
  return createChannelCollector<Facts>({
    definition: translationDefinition,
    begin: () => ({ uses: new Map(), more: 0 }),
    channels: {
      'lookback:locale:message': (facts, message) => {
        const { uses } = facts;
        if (!states.has(message['state'])) return;
        const state = message['state'] as State; // just checked
        const key = messageText(message['key']);
        const locale = messageText(message['locale']);
        const used = messageText(message['used']);
        const location = `${state} ${locale} ${key}`;
        const known = uses.get(location);
        if (known === undefined && uses.size >= maxMessages) facts.more++;
        else
          uses.set(location, {
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
