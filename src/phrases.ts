/** Texts of our own pages in three languages: a phrasebook for each house that has pages, and the language that a page is written in. */
export { createPhrasebook } from './phrases/create-phrasebook.js';
export type { Catalogues, Phrasebook, PhraseValues } from './phrases/create-phrasebook.js';
export { chooseLanguage, currentLanguage, inLanguage } from './phrases/page-language.js';
export { isLanguage, type Language, languages, pageLanguage } from './phrases/page-language.js';
