import { IntlMessageFormat } from 'intl-messageformat';
import { activeLocale } from './create-locale.js';
import { localeErrors } from './error-codes.js';
import { type MessageUse, messageChannel } from './message-channel.js';

/** Texts by key, in ICU MessageFormat: `{count, plural, one {# comment} other {# comments}}`. */
export type Messages = Readonly<Record<string, string>>;

export interface CatalogueOptions {
  /** Messages by locale. */
  readonly messages: Readonly<Record<string, Messages>>;
  /** Locale whose text is taken where the wanted one has none. */
  readonly fallback: string;
}

/** Messages in several languages. */
export interface Catalogue {
  /**
   * The text of a message in the request's locale (or the given one), otherwise in its language, otherwise in the
   * fallback locale; a missing message is its key. The result is plain text: escape it.
   */
  text(key: string, values?: Readonly<Record<string, string | number | Date>>, locale?: string): string;
}

/** Creates a catalogue. All messages are parsed at once: throws `LOCALE_BAD_MESSAGE` for an invalid one. */
export function createCatalogue(options: CatalogueOptions): Catalogue {
  const formats = new Map<string, Map<string, IntlMessageFormat>>();
  for (const [locale, messages] of Object.entries(options.messages)) {
    formats.set(
      locale,
      new Map(Object.entries(messages).map(([key, text]) => [key, readMessage(key, text, locale)])),
    );
  }
  return {
    text(key, values, locale = activeLocale(options.fallback)) {
      const used = placesToLook(locale, options.fallback).find(
        (place) => formats.get(place)?.has(key) === true,
      );
      const format = used === undefined ? undefined : formats.get(used)?.get(key);
      const text = format === undefined ? key : String(format.format(values));
      if (messageChannel.hasSubscribers)
        messageChannel.publish({ ...describeUse(key, locale, used), text } satisfies MessageUse);
      return text;
    },
  };
}

/** `fr-CA`, then `fr`, then the fallback. */
function placesToLook(locale: string, fallback: string): string[] {
  const [language = locale] = locale.split('-');
  return [...new Set([locale, language, fallback])];
}

function describeUse(key: string, locale: string, used: string | undefined): Omit<MessageUse, 'text'> {
  const isOwn = used !== undefined && (used === locale || locale.startsWith(`${used}-`));
  return { key, locale, used, state: used === undefined ? 'missing' : isOwn ? 'defined' : 'fallback' };
}

function readMessage(key: string, text: string, locale: string): IntlMessageFormat {
  try {
    return new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
  } catch (cause) {
    throw localeErrors.create('LOCALE_BAD_MESSAGE', { key, locale }, { cause });
  }
}
