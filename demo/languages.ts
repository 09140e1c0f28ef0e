import { cookieLocale, createCatalogue, createLocale } from 'lookback/locale';
import type { Catalogue, Locale, Messages } from 'lookback/locale';
import { englishFailures } from './texts/english-failures.js';
import { english } from './texts/english.js';
import { frenchFailures } from './texts/french-failures.js';
import { french } from './texts/french.js';
import { germanFailures } from './texts/german-failures.js';
import { german } from './texts/german.js';

/** The journal's languages, by their own names. */
export const languages = { en: 'English', fr: 'Français', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;
export const languageTags: readonly Language[] = ['en', 'fr', 'de'];

/** The start of every path that has a language. */
export const languagePath = '/{_locale<en|fr|de>}';

/** The route comes first, then the reader's own choice, then the browser's. */
export const locale: Locale = createLocale({ enabled: languageTags, stored: [cookieLocale()] });

/** A message key. */
export type TextKey = keyof typeof english | keyof typeof englishFailures;

const messages: Readonly<Record<Language, Messages>> = {
  en: { ...english, ...englishFailures },
  fr: { ...french, ...frenchFailures },
  de: { ...german, ...germanFailures },
};
const catalogue: Catalogue = createCatalogue({ fallback: 'en', messages });

/** Returns a message in the request's language. */
export function text(key: TextKey, values?: Readonly<Record<string, string | number | Date>>): string {
  return catalogue.text(key, values);
}
