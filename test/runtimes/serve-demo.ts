// Run by Bun or Deno: the demo, for the contract over the wire.
import { createDemo } from '../../demo/create-demo.js';
import { serveFetch } from './serve-fetch.js';

console.log(serveFetch(await createDemo()));
