/** A program for tests: sends one request that fails and one that matches nothing, then ends. */
import { createApp } from 'lookback';

const app = createApp();

function throwOnce(): never {
  throw new Error('outer', { cause: new TypeError('inner password=hunter2hunter2 \u001b[31m') });
}

app.get('/', () => throwOnce());
for (const path of ['/', '/nowhere']) await (await app.fetch(path)).text();
await app.close();
