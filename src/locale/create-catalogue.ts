import { refuseUnknownOptions } from '#coded-error';
import { IntlMessageFormat } from 'intl-messageformat';
import { activeLocale, localeErrors } from './create-locale.js';
import { type Channel, channel } from 'node:diagnostics_channel';

/** Messages by key, in ICU MessageFormat: `{count, plural, one {# comment} other {# comments}}`. */
export type Messages = Readonly<Record<string, string>>;

export interface CatalogueOptions {
  readonly messages: Readonly<Record<string, Messages>>;
  /** Locale whose message is used if the requested locale has none. */
  readonly fallback: string;
}

/** Messages in several languages. */
export interface Catalogue {
  /**
   * Formats a message in the locale of the request (or the given one), otherwise in its language, otherwise in the fallback
   * locale. Returns the key if the message is missing. The result is plain text, which must be escaped in markup.
   */
  text(key: string, values?: Readonly<Record<string, string | number | Date>>, locale?: string): string;
}

/** Creates a catalogue and parses all messages. Throws `LOCALE_BAD_MESSAGE` for an invalid one. */
export function createCatalogue(options: CatalogueOptions): Catalogue {
  refuseUnknownOptions('createCatalogue()', options, 'messages fallback');
  const formats = new Map<string, Map<string, IntlMessageFormat>>();
  for (const [locale, messages] of Object.entries(options.messages)) {
    formats.set(
      locale,
      new Map(Object.entries(messages).map(([key, text]) => [key, readMessage(key, text, locale)])),
    );
  }
  return {
    text(key, values, locale = activeLocale(options.fallback)) {
      const [language = locale] = locale.split('-');
      const candidates = [locale, language, options.fallback]; // `fr-CA`, then `fr`, then the fallback
      const used = candidates.find((candidate) => formats.get(candidate)?.has(key) === true);
      const format = used === undefined ? undefined : formats.get(used)?.get(key);
      const text = format === undefined ? key : String(format.format(values));
      if (messageChannel.hasSubscribers)
        messageChannel.publish({
          key,
          locale,
          used,
          text,
          state: stateOf(locale, used),
        } satisfies MessageUse);
      return text;
    },
  };
}

function stateOf(locale: string, used: string | undefined): MessageUse['state'] {
  if (used === undefined) return 'missing';
  return used === locale || locale.startsWith(`${used}-`) ? 'defined' : 'fallback';
}

function readMessage(key: string, text: string, locale: string): IntlMessageFormat {
  try {
    return new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
  } catch (cause) {
    throw localeErrors.create('LOCALE_BAD_MESSAGE', { key, locale }, { cause });
  }
}

/** A message lookup, as published on `lookback:locale:message`. */
export interface MessageUse {
  readonly key: string;
  readonly locale: string;
  /** The locale whose text was used; undefined for a missing message. */
  readonly used: string | undefined;
  /** The result: the message with its values, or the key if it is missing. */
  readonly text: string;
  readonly state: 'defined' | 'fallback' | 'missing';
}

/** Publishes a `MessageUse` for each lookup while there are subscribers. */
export const messageChannel: Channel = channel('lookback:locale:message');
