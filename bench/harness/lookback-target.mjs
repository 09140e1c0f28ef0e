import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../dist/bundle/index.js';
import { busyWork } from './busy-work.mjs';

/**
 * A lookback server with every step of the kernel. `store` is `off`, `memory` or `sqlite`; `routes` is a number of routes to add to the
 * requested one; `listen` serves the application by other means than Node.
 */
export async function startLookback(title, { store, routes = 0, debug = true, listen, ...more }) {
  const folder = store === 'sqlite' ? mkdtempSync(join(tmpdir(), 'lookback-bench-')) : undefined;
  const address = { off: 'off', memory: 'memory:', sqlite: `sqlite:${folder}/profiler.db` }[store];
  const app = createApp({ configuration: { env: debug ? 'dev' : 'prod', debug, profilerStore: address } });
  for (let index = 0; index < routes; index++) {
    app.get(`/section-${index % 40}/part-${index}/{id}`, ({ params }) => params, { name: `part_${index}` });
  }
  app.get('/hello/{name}', ({ params }) => ({ hello: params.name }), { name: 'hello' });
  app.get(
    '/later/{name}',
    async ({ params }) => {
      await Promise.resolve();
      return { hello: params.name };
    },
    { name: 'later' },
  );
  app.get('/busy/{name}', ({ params, log }) => busyWork(params.name, log), { name: 'work' });
  const free = { host: '127.0.0.1', port: 0 };
  const server = await (listen?.(app, free) ?? app.listen(free));
  return {
    title,
    port: server.port,
    ...more,
    ...(store !== 'off' && { recorded: async () => (await app.profiler.list({ limit: 1 })).rows.length }),
    async stop() {
      await app.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
