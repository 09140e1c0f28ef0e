/** A typed client for routes declared as values, for browsers and programs. Imports no server code. */
export { createClient, type ClientOptions } from './client/create-client.js';
export { ClientError, type ClientProblemDocument } from './client/client-error.js';
export type {
  Client,
  ClientInput,
  ClientMethod,
  ClientOutput,
  ClientRoutes,
  PathsOf,
} from './client/client-types.js';
