export * from './framework/locale.js';
