import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import diagnostics from 'node:diagnostics_channel';
import { createApp } from '../../dist/src/index.js';

/**
 * Our own server with every step of its list. `store` is `off`, `memory` or `sqlite`; `routes` adds so many beside
 * the one that is asked for.
 */
export async function startLookback(title, { store, routes = 0, debug = true, ...more }) {
  const folder = store === 'sqlite' ? mkdtempSync(join(tmpdir(), 'lookback-bench-')) : undefined;
  const address = { off: 'off', memory: 'memory:', sqlite: `sqlite:${folder}/profiler.db` }[store];
  const app = createApp({ configuration: { env: debug ? 'dev' : 'prod', debug, profilerStore: address } });
  for (let index = 0; index < routes; index++) {
    app.get(`/section-${index % 40}/part-${index}/{id}`, ({ params }) => params, { name: `part_${index}` });
  }
  app.get('/hello/{name}', ({ params }) => ({ hello: params.name }), { name: 'hello' });
  app.get('/busy/{name}', ({ params, log }) => work(params.name, log), { name: 'work' });
  const server = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    title,
    port: server.port,
    ...more,
    async stop() {
      await app.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

const queries = diagnostics.channel('lookback:persistence:query');

/** Five log lines, and what three statements tell the query channel; no database is asked. */
function work(name, log) {
  for (let line = 1; line <= 5; line++) log.info('A line of the log.', { name, line });
  for (let id = 1; id <= 3 && queries.hasSubscribers; id++) {
    queries.publish({
      sql: 'select a.* from article a where a.author = ? and a.id > ? order by a.id limit 20',
      params: [name, id],
      durationMs: 0.4,
      rows: 20,
      connection: 'main',
      error: undefined,
      callSite: [{ name: 'work', file: import.meta.url, line: 40, column: 5 }],
    });
  }
  return { hello: name };
}
