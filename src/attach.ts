/** The profiler beside servers that are not ours: `node:http` and all that stands on it. */
export { attach } from './attach/servers/attach.js';
export type { Detachable } from './attach/attachment/detachable.js';
export type { AttachOptions } from './attach/watch/attach-options.js';
export { toNodeHandler } from './attach/mount/to-node-handler.js';
export type { MountedApp, NodeHandler } from './attach/mount/to-node-handler.js';
export { attachUpgrade } from './attach/mount/attach-upgrade.js';
export type { UpgradingApp } from './attach/mount/attach-upgrade.js';
