export * from './profiler/attach/koa.js';
