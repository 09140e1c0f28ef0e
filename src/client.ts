/** A typed client for routes declared as values, for browsers and programs. Imports no server code. */
export { createClient, ClientError } from './client/create-client.js';
export type { ClientOptions, ClientProblemDocument, Client, ClientInput } from './client/create-client.js';
export type { ClientMethod, ClientOutput, ClientRoutes, PathsOf } from './client/create-client.js';
