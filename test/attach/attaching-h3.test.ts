// Runs in a separate process, because @hono/node-server replaces the global Response, after which h3 answers its errors with 200.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toNodeHandler } from 'h3/node';
import { lookback as h3Lookback } from 'lookback/h3';
import { h3App } from './apps/h3-app.js';
import { listen } from './apps/listen.js';
import { describeAttaching } from './contract.js';

describeAttaching({
  name: 'h3',
  async start(isAttached) {
    const profile = isAttached ? h3Lookback({ store: 'memory:' }) : undefined;
    return listen(toNodeHandler(h3App(profile)), async () => profile?.close());
  },
  pattern: '/users/:id',
  handler: undefined,
  seesErrors: true,
  middleware: 'stamp',
  isRaw: false,
});

it('h3 is no longer recorded after detaching', async () => {
  const profile = h3Lookback({ store: 'memory:' });
  const app = h3App(profile);
  const running = await listen(toNodeHandler(app), () => profile.close());
  const stamp = async (): Promise<(string | null)[]> => {
    const { headers } = await fetch(`http://127.0.0.1:${running.port}/made`);
    return ['x-app', 'x-debug-token'].map((name) => headers.get(name)?.slice(0, 1) ?? null);
  };
  assert.notEqual((await stamp())[1], null);
  profile.detach();
  assert.deepEqual(await stamp(), ['1', null]);
  await running.close();
});
