import { currentLanguage, type Language } from './page-language.js';

/** A catalogue for each language but English, whose texts are the keys. */
export type Catalogues<Phrase extends string> = Readonly<
  Record<Exclude<Language, 'en'>, Readonly<Record<Phrase, string>>>
>;

/** What a phrase is filled with, by the names in its braces; `n` chooses the form. */
export type PhraseValues = Readonly<Record<string, string | number>>;

/** The texts of one catalogue in the language of the current page. */
export interface Phrasebook<Phrase extends string> {
  /**
   * A text of the pages in the reader's language. `{name}` stands for a value, numbers are written as the language writes
   * them. A phrase with `|` has the forms for one and for many, chosen by the value of `n`.
   */
  readonly say: (phrase: Phrase, values?: PhraseValues) => string;
  /** A text that may be lookback's own, such as a panel's title: if it is, it is translated, otherwise unchanged. */
  readonly sayKnown: (text: string) => string;
}

/** Texts by their English. */
export function createPhrasebook<Phrase extends string>(catalogues: Catalogues<Phrase>): Phrasebook<Phrase> {
  const say = (phrase: Phrase, values: PhraseValues = {}): string => {
    const language = currentLanguage();
    const text = language === 'en' ? phrase : catalogues[language][phrase];
    return fill(formOf(text, values['n'], language), values, language);
  };
  return {
    say,
    sayKnown: (text) => (Object.hasOwn(catalogues.fr, text) ? say(text as Phrase) : text), // a key of the catalogue
  };
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
