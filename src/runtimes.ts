/** An application on the servers of Bun and Deno, over its `fetch`. */
export { serveBun } from './runtimes/serve-bun.js';
export { serveDeno } from './runtimes/serve-deno.js';
export type { FetchingApp, RuntimeServer, RuntimeServerOptions } from './runtimes/runtime-server.js';
