export * from './profiler/attach.js';
