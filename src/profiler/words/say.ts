import { createScopeKey, currentScope, type ScopeKey } from '#scope';
import { type Phrase, phrases } from './phrases.js';

/** Languages of the profiler's pages, by their BCP 47 tags and their own names. */
export const languages = { en: 'English', fr: 'Français', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;

/** The language that a page is written in. Absent where data is asked for: JSON and Markdown are English. */
export const pageLanguage: ScopeKey<Language> = createScopeKey('language of the profiler’s page');

/** The language of the page that is being made; English outside of pages. */
export function currentLanguage(): Language {
  return currentScope()?.get(pageLanguage) ?? 'en';
}

export type PhraseValues = Readonly<Record<string, string | number>>;

/**
 * A text of the pages in the reader's language. `{name}` stands for a value, numbers are written as the language writes
 * them. A phrase with `|` has the forms for one and for many, chosen by the value of `n`.
 */
export function say(phrase: Phrase, values: PhraseValues = {}): string {
  const language = currentLanguage();
  const text = language === 'en' ? phrase : phrases[phrase][language === 'fr' ? 0 : 1];
  return fill(formOf(text, values['n'], language), values, language);
}

/** A text that may be ours or somebody else's, such as a panel's title: ours is translated, any other stays. */
export function sayKnown(text: string): string {
  return Object.hasOwn(phrases, text) ? say(text as Phrase) : text; // a key of the catalogue
}

function formOf(text: string, count: string | number | undefined, language: Language): string {
  if (typeof count !== 'number' || !text.includes('|')) return text;
  const [one = '', many = ''] = text.split('|', 2);
  return pluralRules[language].select(count) === 'one' ? one : many;
}

const pluralRules: Readonly<Record<Language, Intl.PluralRules>> = {
  en: new Intl.PluralRules('en'),
  fr: new Intl.PluralRules('fr'),
  de: new Intl.PluralRules('de'),
};

function fill(text: string, values: PhraseValues, language: Language): string {
  if (!text.includes('{')) return text;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return typeof value === 'number' ? value.toLocaleString(language) : (value ?? whole);
  });
}
