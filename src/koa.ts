/** Middleware for Koa. */
export * from './profiler/attach/koa.js';
