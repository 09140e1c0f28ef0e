/** Middleware for h3. */
export * from './profiler/attach/h3.js';
