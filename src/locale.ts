/** The language of an answer: negotiation, stored choice, redirects to localised paths, and messages. */
export { activeLocale, createLocale } from './locale/create-locale.js';
export type { Locale, LocaleOptions } from './locale/create-locale.js';
export { negotiateLocale } from './locale/negotiate-locale.js';
export { parseAcceptLanguage } from './locale/parse-accept-language.js';
export type { LanguageRange } from './locale/parse-accept-language.js';
export { cookieLocale, localeCookie } from './locale/stored-locale.js';
export type { StoredLocale } from './locale/stored-locale.js';
export { createCatalogue } from './locale/create-catalogue.js';
export type { Catalogue, CatalogueOptions, Messages } from './locale/create-catalogue.js';
export { messageChannel } from './locale/message-channel.js';
export type { MessageUse } from './locale/message-channel.js';
