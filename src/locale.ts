/** In which language a request is answered: negotiation, stored choice, rewrite, and messages. */
export { createLocale } from './locale/create-locale.js';
export type { Locale, LocaleOptions } from './locale/create-locale.js';
export { negotiateLocale } from './locale/negotiate-locale.js';
export { parseAcceptLanguage } from './locale/parse-accept-language.js';
export type { LanguageRange } from './locale/parse-accept-language.js';
export { cookieLocale, localeCookie } from './locale/cookie-locale.js';
export type { StoredLocale } from './locale/stored-locale.js';
export { activeLocale } from './locale/current-locale.js';
export { createCatalogue } from './locale/create-catalogue.js';
export type { Catalogue, CatalogueOptions, Messages } from './locale/create-catalogue.js';
export { messageChannel } from './locale/message-channel.js';
export type { MessageUse } from './locale/message-channel.js';
