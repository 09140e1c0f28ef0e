/** Module for NestJS. */
export * from './profiler/attach/nest.js';
