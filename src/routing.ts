export * from './core/routing.js';
