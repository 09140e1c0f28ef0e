/** Serves an application on Bun and Deno through its `fetch` method. */
export { serveBun } from './runtimes/serve-bun.js';
export { serveDeno } from './runtimes/serve-deno.js';
export type { FetchingApp, RuntimeServer, RuntimeServerOptions } from './runtimes/runtime-server.js';
