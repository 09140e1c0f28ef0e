// Run by Bun or Deno: the demo, for the contract over the wire.
import { serveBun, serveDeno } from 'lookback/runtimes';
import { createDemo } from '../../demo/create-demo.js';

const app = await createDemo();
const serve = 'Bun' in globalThis ? serveBun : serveDeno;
console.log(serve(app, { hostname: '127.0.0.1', port: 0 }).url);
