export * from './core/html.js';
