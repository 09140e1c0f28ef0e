/** The language of requests, and message catalogues. */
export * from './framework/locale.js';
