/** Named routes: definition, matching, and URL generation. */
export * from './core/routing.js';
