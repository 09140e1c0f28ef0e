/** Instrumentation of an application's libraries. */
export * from './profiler/instrumentation.js';
