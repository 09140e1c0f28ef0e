/** Middleware for Express. */
export * from './profiler/attach/express.js';
