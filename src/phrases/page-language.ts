import { parseQualityValues } from '#negotiation';
import { createScopeKey, currentScope, runInScope, Scope, type ScopeKey } from '#scope';

/** Languages of the pages, by their BCP 47 tags and their own names. */
export const languages = { en: 'English', fr: 'Français', de: 'Deutsch' } as const;
/** A language that pages are written in, by its BCP 47 tag. */
export type Language = keyof typeof languages;

/** The language that a page is written in. Absent for data: JSON and Markdown are English. */
export const pageLanguage: ScopeKey<Language> = createScopeKey('language of the page');

/** The language of the page that is being rendered; English outside of pages. */
export function currentLanguage(): Language {
  return currentScope()?.get(pageLanguage) ?? 'en';
}

/** Renders a page in a language. */
export function inLanguage<Result>(language: Language, make: () => Result): Result {
  const scope = new Scope(currentScope());
  scope.set(pageLanguage, language);
  return runInScope(scope, make);
}

/** Whether a text is the tag of a language that pages are written in. */
export function isLanguage(text: string): text is Language {
  return Object.hasOwn(languages, text);
}

/** The first available language of an Accept-Language header, otherwise English. */
export function chooseLanguage(acceptLanguage: string | undefined): Language {
  const best = parseQualityValues(acceptLanguage ?? '')
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ value }) => value.toLowerCase().split('-', 1)[0] ?? '')
    .find(isLanguage);
  return best ?? 'en';
}
