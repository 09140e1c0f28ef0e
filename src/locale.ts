/** Request languages and message catalogues. */
export * from './framework/locale.js';
