// Run by Bun or Deno: a small application that stops on a line from stdin.
import { createInterface } from 'node:readline';
import { createApp } from 'lookback';
import { serveFetch } from './serve-fetch.js';

const [profilerStore = 'memory:'] = process.argv.slice(2);
const app = createApp({ configuration: { profilerStore, debug: true }, logHandlers: [] });
app.get('/hello/{name}', ({ params, request }) => ({
  hello: params.name,
  peer: request.peer.address,
  scheme: request.scheme,
}));
app.post('/echo', async ({ request }) => ({ length: (await request.bytes()).length }));
app.get('/fail', () => {
  throw new Error('failed on purpose');
});
let release = (): void => undefined;
app.get('/halves', async function* () {
  yield 'first\n';
  await new Promise<void>((resolve) => (release = resolve));
  yield 'second\n';
});
app.get('/release', () => {
  release();
  return 'released';
});
console.log(serveFetch(app));
createInterface({ input: process.stdin }).once('line', () => {
  const stop = async (): Promise<void> => {
    await app.close();
    console.log('stopped');
    process.exit(0);
  };
  void stop();
});
