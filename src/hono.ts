/** Middleware for Hono. */
export * from './profiler/attach/hono.js';
