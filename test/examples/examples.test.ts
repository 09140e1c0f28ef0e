import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { freePort } from '../free-port.js';
import { startRedis } from '../security/start-redis.js';
import { until } from '../until.js';

interface Expected {
  readonly pattern?: string;
  readonly handler?: string;
  readonly showsErrors: boolean;
}

const books: Record<string, Expected> = {
  express: { pattern: '/books/:id', handler: 'showBook', showsErrors: true },
  fastify: { pattern: '/books/:id', handler: 'showBook', showsErrors: true },
  koa: { pattern: '/books/:id', handler: 'showBook', showsErrors: true },
  hono: { pattern: '/books/:id', handler: 'showBook', showsErrors: true },
  nest: { pattern: '/books/:id', handler: 'BookController.showBook', showsErrors: true },
  'plain-http': { showsErrors: false },
};

/** Starts an example with its single command, on a free port; ends it when the work is done. */
async function withExample(
  name: string,
  work: (origin: string) => Promise<void>,
  { ready = 'listening', variables = {} }: { ready?: string; variables?: Record<string, string> } = {},
): Promise<void> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'example-'));
  const child = spawn(process.execPath, [`examples/${name}/app.js`], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      PROFILER_STORE: `sqlite:${join(folder, 'p.db')}`,
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  try {
    while (!output.includes(ready)) {
      assert.equal(child.exitCode, null, output);
      await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    }
    await work(`http://localhost:${port}`.replace('localhost', '127.0.0.1'));
  } catch (error) {
    throw new Error(`${name}: ${output}`, { cause: error });
  } finally {
    // Waits for close, not only exit: processes that an example starts keep its output open, and write to the folder.
    const closed = once(child, 'close');
    if (child.kill('SIGTERM')) await closed;
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Shown {
  readonly request: { readonly body?: { readonly content: string } };
  readonly route: { readonly path: string } | null;
  readonly controller: { readonly name: string } | null;
  readonly exception: { readonly message: string } | null;
  readonly state: string;
}

async function recordOf(origin: string, response: Response): Promise<Shown> {
  const token = response.headers.get('x-debug-token');
  assert.ok(token !== null);
  await response.arrayBuffer();
  // The record is closed when the connection is finished, which may be after the client has read everything.
  return until(async () => {
    const answer = await fetch(`${origin}/_profiler/${token}.json`);
    const record = (await answer.json()) as Shown; // our own JSON
    return record.state !== 'pending' && record.state !== 'open' && record;
  });
}

describe('examples', () => {
  for (const [name, expected] of Object.entries(books))
    it(`${name} answers, and every request leaves a record`, () =>
      withExample(name, async (origin) => {
        const shown = await fetch(`${origin}/books/1`);
        assert.equal(shown.status, 200);
        const { route, controller } = await recordOf(origin, shown);
        assert.equal(route?.path, expected.pattern);
        assert.equal(controller?.name, expected.handler);
        const added = await fetch(`${origin}/books`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: '{"title":"The Tombs of Atuan"}',
        });
        assert.equal(added.status, 201);
        assert.match((await recordOf(origin, added)).request.body?.content ?? '', /Atuan/);
        assert.equal((await fetch(`${origin}/books/9`)).status, 404);
        const broken = await fetch(`${origin}/broken`, { headers: { Accept: 'text/html' } });
        assert.equal(broken.status, 500);
        const page = await broken.clone().text();
        if (expected.showsErrors) assert.match(page, /Too many books/);
        const { exception } = await recordOf(origin, broken);
        if (expected.showsErrors) assert.match(exception?.message ?? '', /The shelf is broken/);
        const list = await (await fetch(`${origin}/_profiler/`)).text();
        for (const path of ['/books/1', '/books/9', '/broken']) assert.ok(list.includes(path), path);
      }));

  it('three-services: the records of one trace are linked, across three processes', () =>
    withExample('three-services', async (origin) => {
      const order = await fetch(`${origin}/order/7`);
      assert.deepEqual(await order.json(), { id: '7', left: 3, price: 12.5 });
      const token = order.headers.get('x-debug-token') ?? '';
      interface Row {
        readonly token: string;
        readonly path: string;
        readonly trace: string | null;
      }
      // Each process writes its records within about 50 ms of their end.
      const rows = await until(async () => {
        const answer = await fetch(`${origin}/_profiler/search.json`);
        const { rows: found } = (await answer.json()) as { rows: Row[] }; // our own JSON
        return found.length >= 3 && found;
      });
      assert.deepEqual(rows.map(({ path }) => path).sort(), ['/order/7', '/price/7', '/stock/7']);
      assert.equal(new Set(rows.map(({ trace }) => trace)).size, 1);
      for (const form of [`${token}?panel=trace`, `${token}.md?panel=trace`]) {
        const shown = await (await fetch(`${origin}/_profiler/${form}`)).text();
        for (const row of rows) assert.ok(shown.includes(row.token), `${row.path} in ${form}`);
      }
    }));

  it('jobs: a job has its own record, in the trace of the request that added it', async () => {
    const redis = await startRedis();
    try {
      await withExample('jobs', checkJobs, { ready: 'serves at', variables: { REDIS_URL: redis.url } });
    } finally {
      await redis.stop();
    }
  });
});

async function checkJobs(origin: string): Promise<void> {
  const answer = await fetch(`${origin}/orders?email=ada@example.org`, { method: 'POST' });
  assert.deepEqual([answer.status, ((await answer.json()) as { order: number }).order], [200, 1]); // the format of the example's response
  interface Row {
    readonly token: string;
    readonly method: string;
    readonly path: string;
    readonly trace: string | null;
  }
  const rows = await until(async () => {
    const found = (await (await fetch(`${origin}/_profiler/search.json`)).json()) as { rows: Row[] }; // our own JSON
    return found.rows.some(({ method }) => method === 'JOB') && found.rows;
  });
  const [job] = rows.filter(({ method }) => method === 'JOB');
  assert.equal(job?.path, '/shop/confirm');
  assert.equal(job.trace, rows.find(({ method }) => method === 'POST')?.trace);
  assert.match(await (await fetch(`${origin}/_profiler/${job.token}.md`)).text(), /ada@example\.org|Order 1/);
}
