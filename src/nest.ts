export * from './profiler/attach/nest.js';
