/** The profiler for other servers: `node:http` and every framework built on it. */
export * from './profiler/attach.js';
