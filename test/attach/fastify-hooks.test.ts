import assert from 'node:assert/strict';
import { it } from 'node:test';
import fastify, { type FastifyInstance } from 'fastify';
import { lookback } from 'lookback/fastify';
import type { ProfileRecord } from 'lookback/profiler';

it('the bar of a Fastify hook ends when the hook calls back, before the handler runs', async () => {
  const app = fastify();
  await app.register(lookback({ store: 'memory:' }));
  app.addHook('preHandler', function check(_request, _reply, done) {
    setImmediate(done);
  });
  app.addHook('preHandler', function pass(_request, _reply, done) {
    done();
  });
  app.get('/*', function answer() {
    return { answered: true };
  });
  try {
    const url = await app.listen({ port: 0, host: '127.0.0.1' });

    const timelineOf = async (path: string): Promise<ProfileRecord['timeline']> => {
      const response = await fetch(url + path);
      await response.text();
      const record = await fetch(`${url}/_profiler/${response.headers.get('x-debug-token')}.json`);
      return ((await record.json()) as ProfileRecord).timeline; // the list is asserted on below
    };
    const spans = await timelineOf('/there');
    const named = (name: string): ProfileRecord['timeline'][number] =>
      spans.find((span) => span.name.endsWith(name)) ?? assert.fail(JSON.stringify(spans));
    const [check, pass, handler] = [named('check'), named('pass'), named('answer')];
    for (const hook of [check, pass]) {
      assert.deepEqual([hook.open, hook.detail], [undefined, undefined], JSON.stringify(hook));
      assert.ok(hook.startMs + hook.durationMs <= handler.startMs, JSON.stringify([hook, handler]));
    }
  } finally {
    await app.close();
  }
});

it('Fastify answers thrown values as without lookback, including the status that error handlers see, and getters that throw', async () => {
  const answers = async (isAttached: boolean): Promise<readonly (readonly [number, string])[]> => {
    const app = fastify();
    if (isAttached) await app.register(lookback({ store: 'memory:', errorPage: false }));
    const locked = (name: string): Error =>
      Object.defineProperty(new Error('x'), name, {
        get() {
          throw new Error('locked');
        },
      });
    const routes = async (plugin: FastifyInstance): Promise<void> => {
      plugin.get('/plain', () => {
        throw new Error('x');
      });
      plugin.get('/missing', async () => {
        throw Object.assign(new Error('x'), { statusCode: 404 });
      });
      for (const name of ['status', 'statusCode', 'headers']) {
        plugin.get(`/${name}`, () => {
          throw locked(name);
        });
        plugin.get(`/${name}-later`, async () => {
          throw locked(name);
        });
        plugin.get(`/${name}-before`, { preHandler: async () => Promise.reject(locked(name)) }, () => 'late');
      }
    };
    await app.register(routes);
    await app.register(
      async (plugin) => {
        plugin.setErrorHandler((_error, _request, reply) => reply.send({ saw: reply.statusCode }));
        await routes(plugin);
      },
      { prefix: '/own' },
    );
    try {
      const url = await app.listen({ port: 0, host: '127.0.0.1' });
      const kinds = ['status', 'statusCode', 'headers'].flatMap((name) => [
        name,
        `${name}-later`,
        `${name}-before`,
      ]);
      const found: (readonly [number, string])[] = [];
      for (const prefix of ['', '/own'])
        for (const path of ['plain', 'missing', ...kinds]) {
          const answer = await fetch(`${url}${prefix}/${path}`, {
            headers: { accept: 'application/json' },
            signal: AbortSignal.timeout(20_000),
          });
          found.push([answer.status, await answer.text()]);
        }
      return found;
    } finally {
      await app.close();
    }
  };
  const bare = await answers(false);
  assert.deepEqual(bare[0], [
    500,
    JSON.stringify({ statusCode: 500, error: 'Internal Server Error', message: 'x' }),
  ]);
  assert.deepEqual(await answers(true), bare);
});
