/** Reads requests from sockets and writes responses to them, with Node's HTTP/1.1, HTTP/2 and TLS. */
export { createNodeServer, type NodeServer } from './node/create-node-server.js';
export { createUpgradeHandler, type UpgradeRequest, type UpgradeHandler } from './node/begin-upgrade.js';
export {
  defaultServerLimits,
  type NodeServerOptions,
  type ServerLimits,
  type TlsFiles,
} from './node/settings/node-server-options.js';
export type { ListeningServer } from './node/settings/listen.js';
