import assert from 'node:assert/strict';
import { it } from 'node:test';
import fastify from 'fastify';
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
