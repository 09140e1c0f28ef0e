/** The language of a request, and message catalogues. */
export * from './framework/locale.js';
