/** Translations of lookback's own pages: a phrasebook for each house with pages, and the language of the current page. */
export { createPhrasebook } from './phrases/create-phrasebook.js';
export type { Catalogues, Phrasebook, PhraseValues } from './phrases/create-phrasebook.js';
export { chooseLanguage, currentLanguage, inLanguage } from './phrases/page-language.js';
export { isLanguage, type Language, languages, pageLanguage } from './phrases/page-language.js';
