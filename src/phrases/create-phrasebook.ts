import { currentLanguage, type Language } from './page-language.js';

/** A catalogue of translations for each language except English; its keys are the English texts. */
export type Catalogues<Phrase extends string> = Readonly<
  Record<Exclude<Language, 'en'>, Readonly<Record<Phrase, string>>>
>;

/** Values of the placeholders in a phrase, by name; `n` selects the plural form. */
export type PhraseValues = Readonly<Record<string, string | number>>;

/** Translates the texts of one set of catalogues into the language of the current page. */
export interface Phrasebook<Phrase extends string> {
  /**
   * Translates a phrase. `{name}` is replaced by a value; numbers are formatted for the language. A phrase with `|` has a
   * singular and a plural form, selected by the value of `n`.
   */
  readonly say: (phrase: Phrase, values?: PhraseValues) => string;
  /** Translates a text if it is in the catalogue, such as the title of a built-in panel; otherwise returns it unchanged. */
  readonly sayKnown: (text: string) => string;
}

/** Creates a phrasebook whose phrases are identified by their English text. */
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
