/** Bytes to requests and responses to bytes, on Node's own HTTP/1.1, HTTP/2 and TLS. */
export { createNodeServer } from './node/create-node-server.js';
export type { NodeServer } from './node/create-node-server.js';
export { createUpgradeHandler } from './node/begin-upgrade.js';
export type { UpgradeRequest, UpgradeHandler } from './node/begin-upgrade.js';
export type { NodeServerOptions, TlsFiles } from './node/settings/node-server-options.js';
export { defaultServerLimits } from './node/settings/server-limits.js';
export type { ServerLimits } from './node/settings/server-limits.js';
export type { ListeningServer } from './node/settings/listen.js';
export { serverErrors } from './node/settings/server-errors.js';
