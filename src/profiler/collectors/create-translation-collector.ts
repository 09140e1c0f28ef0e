import { createChannelCollector, type ListeningCollector } from './create-channel-collector.js';
import { textOf } from './read-message-fields.js';

/** One message of the catalogue, as a request used it. */
export interface TranslationUse {
  readonly key: string;
  /** The locale that was asked for. */
  readonly locale: string;
  /** The locale whose text was used; empty where there was none. */
  readonly used: string;
  readonly state: 'defined' | 'fallback' | 'missing';
  readonly count: number;
}

/** The `translation` section of a record. */
export interface TranslationSection {
  readonly messages: readonly TranslationUse[];
  /** Messages that were left out. */
  readonly more: number;
}

const MESSAGES = 300;

interface Facts {
  readonly uses: Map<string, TranslationUse>;
  more: number;
}

/** Keeps which messages were looked up, and which were missing, under `translation`. */
export function createTranslationCollector(): ListeningCollector {
  return createChannelCollector<Facts>({
    name: 'translation',
    begin: () => ({ uses: new Map(), more: 0 }),
    channels: {
      'lookback:locale:message': (facts, message) => {
        const { state } = message;
        if (state !== 'defined' && state !== 'fallback' && state !== 'missing') return;
        const key = textOf(message['key']);
        const locale = textOf(message['locale']);
        const place = `${state} ${locale} ${key}`;
        const known = facts.uses.get(place);
        if (known === undefined && facts.uses.size >= MESSAGES) facts.more++;
        else
          facts.uses.set(place, {
            key,
            locale,
            used: textOf(message['used']),
            state,
            count: (known?.count ?? 0) + 1,
          });
      },
    },
    section: (facts): TranslationSection | undefined =>
      facts === undefined ? undefined : { messages: [...facts.uses.values()], more: facts.more },
  });
}
