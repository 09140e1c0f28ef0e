export * from './profiler/attach/h3.js';
