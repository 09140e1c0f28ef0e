export * from './profiler/attach/hono.js';
