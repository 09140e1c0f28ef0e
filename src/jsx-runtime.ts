export * from './core/html/jsx.js';
