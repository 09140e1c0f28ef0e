/** A program for tests: an application that sends itself one request, or (`only-made`) closes right after it is created. */
import { createApp } from 'lookback';

const app = createApp();
app.get('/', () => 'ok');
if (process.argv[2] !== 'only-made') {
  const answer = await app.fetch('/', { peer: { address: '127.0.0.1' } });
  const found = await app.profiler?.find(answer.headers.get('x-debug-token') ?? '');
  process.stdout.write(`${found?.kind}\n`);
}
await app.close();
