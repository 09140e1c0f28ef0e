/** The response language: negotiation, stored choice, redirects to localised paths, and messages. */
export { activeLocale, createLocale, type Locale, type LocaleOptions } from './locale/create-locale.js';
export { cookieLocale, localeCookie, type StoredLocale } from './locale/create-locale.js';
export { createCatalogue, messageChannel, type MessageUse } from './locale/create-catalogue.js';
export type { Catalogue, CatalogueOptions, Messages } from './locale/create-catalogue.js';
