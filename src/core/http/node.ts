/** Reads requests from sockets and writes responses to them, with Node's HTTP/1.1, HTTP/2 and TLS. */
export { createNodeServer, type NodeServer } from './node/create-node-server.js';
export {
  defaultServerLimits,
  serverLimitsOf,
  type NodeServerOptions,
  type ServerLimits,
} from './node/server-options.js';
export type { TlsFiles, ListeningServer } from './node/server-options.js';
export { serverLimitsSchema } from './node/server-options.js';
