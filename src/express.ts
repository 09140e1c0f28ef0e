export * from './profiler/attach/express.js';
