/** The profiler for other servers: `node:http` and every framework built on it. */
export { attach } from './attach/servers/watch-server.js';
export type { Detachable } from './attach/attachment/attachment.js';
export type { AttachOptions } from './attach/watch/attach-options.js';
export { toNodeHandler, type MountedApp, type NodeHandler } from './attach/mount/to-node-handler.js';
