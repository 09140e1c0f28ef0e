export * from './profiler/instrumentation.js';
