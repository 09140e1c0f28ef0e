import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { HttpRequest, createTrustPolicy } from '#core/http';
import { type App, createApp } from '#index';
import { local } from '../local-peer.js';

describe('E1, P3: the displayed URL', () => {
  let app: App;
  before(() => {
    app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
      logHandlers: [],
    });
  });
  after(() => app.close());

  for (const [target, shown] of [
    ['/a?b=1', 'http://localhost/a?b=1'],
    ['http://localhost/a?b=1', 'http://localhost/a?b=1'],
    ['ftp://localhost/a', 'ftp://localhost/a'],
    ['*', '*'],
    ['x', 'x'],
  ] as const) {
    it(`is ${shown} for the target ${target}`, async () => {
      const source = {
        method: 'GET',
        target,
        rawHeaders: ['Host', 'localhost', 'Accept', 'text/plain'],
        httpVersion: '1.1',
        peer: { address: '127.0.0.1', port: 1, encrypted: false },
      };
      const answer = await app.handle(new HttpRequest(source, { trust: createTrustPolicy() }));
      assert.ok(`${answer.body as string}`.includes(`\nRequest: GET ${shown}\n`)); // text was requested
      const token = answer.headers.get('x-debug-token') ?? '';
      const data = await app.fetch(`http://localhost/_profiler/${token}.json`, local);
      const { request } = (await data.json()) as { request: { url: string } }; // the schema of a record's JSON
      assert.equal(request.url, shown);
    });
  }
});
