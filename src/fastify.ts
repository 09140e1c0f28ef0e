/** Plugin for Fastify. */
export * from './profiler/attach/fastify.js';
