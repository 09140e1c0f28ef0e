/** Instrumentation of the libraries that an application uses. */
export * from './profiler/instrumentation.js';
