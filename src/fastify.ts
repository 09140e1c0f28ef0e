export * from './profiler/attach/fastify.js';
