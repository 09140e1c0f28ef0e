import { parseQualityValues } from '#negotiation';
import { createScopeKey, currentScope, runInScope, Scope, type ScopeKey } from '#scope';

/** Languages of the pages: BCP 47 tag and native name. */
export const languages = { en: 'English', fr: 'Français', de: 'Deutsch' } as const;
/** BCP 47 tag of a language in which pages are available. */
export type Language = keyof typeof languages;

/** Scope key of the page's language. Not set for data: JSON and Markdown are English. */
export const pageLanguage: ScopeKey<Language> = createScopeKey('language of the page');

/** Returns the language of the page that is being rendered; English outside of pages. */
export function currentLanguage(): Language {
  return currentScope()?.get(pageLanguage) ?? 'en';
}

/** Calls `make` with the language as that of the current page. */
export function inLanguage<Result>(language: Language, make: () => Result): Result {
  const scope = new Scope(currentScope());
  scope.set(pageLanguage, language);
  return runInScope(scope, make);
}

/** Returns whether a text is the tag of an available language. */
export function isLanguage(text: string): text is Language {
  return Object.hasOwn(languages, text);
}

/** Returns the preferred available language of an Accept-Language header, otherwise English. */
export function chooseLanguage(acceptLanguage: string | undefined): Language {
  const best = parseQualityValues(acceptLanguage ?? '')
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ value }) => value.toLowerCase().split('-', 1)[0] ?? '')
    .find(isLanguage);
  return best ?? 'en';
}
