// Run by Bun or Deno: a small application, until a line on stdin says stop.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createApp } from 'lookback';
import { serveBun, serveDeno } from 'lookback/runtimes';
import { eventStream } from 'lookback/web';

const [store = 'memory:', folder = ''] = process.argv.slice(2);
const tls =
  folder === ''
    ? {}
    : {
        tls: {
          cert: readFileSync(`${folder}/cert.pem`, 'utf8'),
          key: readFileSync(`${folder}/key.pem`, 'utf8'),
        },
      };
const app = createApp({ configuration: { profilerStore: store, debug: true }, logHandlers: [] });
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
app.get('/events', ({ request }) =>
  eventStream(request, async function* () {
    yield { data: 'begun' };
    await new Promise(() => undefined);
  }),
);
const serve = 'Bun' in globalThis ? serveBun : serveDeno;
const server = serve(app, { hostname: '127.0.0.1', port: 0, ...tls });
console.log(server.url);
createInterface({ input: process.stdin }).once('line', () => {
  const stop = async (): Promise<void> => {
    await server.close({ graceMs: 60_000 }); // longer than its test waits: nothing is cut off
    await app.close();
    console.log('stopped');
    process.exit(0);
  };
  void stop();
});
