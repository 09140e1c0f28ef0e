import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type App, createApp } from 'lookback';
import { createTestClient, type TestClient } from 'lookback/testing';
import { local } from '../local-peer.js';

interface Sent {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly peer?: { readonly address: string };
}

describe("a browser's report about a page", () => {
  let app: App;
  let client: TestClient;
  before(() => {
    app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
      logHandlers: [],
    });
    app.get('/', () => 'hello', { name: 'home' });
    client = createTestClient(app);
  });
  after(() => app.close());

  const tokenOf = async (): Promise<string> => (await client.get('/')).headers.get('x-debug-token') ?? '';
  const own = { Origin: 'http://localhost', 'Sec-Fetch-Site': 'same-origin' };
  const report = (changes: object = {}): string =>
    JSON.stringify({
      timing: { loadMs: 2300 },
      errors: [{ message: 'TypeError: password=hunter2', location: '/app.js:1:2', count: 1 }],
      ...changes,
    });
  const post = async (
    token: string,
    { body = report(), headers = own, peer }: Sent = {},
  ): Promise<number> => {
    const options = { method: 'POST', body, headers, ...local, ...(peer === undefined ? {} : { peer }) };
    return (await app.fetch(`/_profiler/${token}/browser`, options)).status;
  };
  const jsonOf = async (token: string): Promise<Record<string, unknown>> =>
    (await (await app.fetch(`/_profiler/${token}.json`, local)).json()) as Record<string, unknown>; // a record
  const seenOf = async (token: string): Promise<unknown> =>
    Object(Object(await jsonOf(token)).sections).browser;

  it("is in the page's record once, redacted, as a section, a finding and a sentence", async () => {
    const token = await tokenOf();
    assert.equal(await seenOf(token), undefined);
    assert.equal(await post(token), 204);
    assert.equal(await post(token, { body: report({ timing: { loadMs: 1 } }) }), 204);
    assert.deepEqual(await seenOf(token), {
      timing: { loadMs: 2300 },
      errors: [{ message: 'TypeError: password=[redacted]', location: '/app.js:1:2', count: 1 }],
      moreErrors: 0,
      failed: [],
      moreFailed: 0,
    });
    const page = await (await app.fetch(`/_profiler/${token}?panel=browser`, local)).text();
    assert.match(page, /The server took [\d.]+ m?s, the page 2\.30 s until it was loaded/);
    const found = await (await app.fetch('/_profiler/search.json?q=finding:browser-error', local)).text();
    assert.ok(found.includes(token), found);
  });

  it('is refused from another origin, without an origin, from other machines, if too large, or without a record', async () => {
    const token = await tokenOf();
    assert.equal(await post(token, { headers: {} }), 403);
    // For these clients, the profiler's pages do not exist.
    for (const closed of [
      { headers: { Origin: 'https://evil.test', 'Sec-Fetch-Site': 'cross-site' } },
      { headers: { ...own, Origin: 'http://localhost:81' } },
      { headers: { ...own, 'Sec-Fetch-Site': 'same-site' } },
      { peer: { address: '203.0.113.9' } },
    ])
      assert.equal(await post(token, closed), 404, JSON.stringify(closed));
    assert.equal(await post(token, { body: report({ more: 'x'.repeat(40_000) }) }), 413);
    assert.equal(await post('abcdef'), 404);
    assert.equal(await post(token, { body: 'no report' }), 204);
    assert.equal(await seenOf(token), undefined);
  });

  it('has a path that redirects a GET to the record, like other actions, or to the list', async () => {
    const token = await tokenOf();
    for (const [path, to] of [
      [`${token}/replay`, `/_profiler/${token}`],
      [`${token}/explain`, `/_profiler/${token}?panel=db`],
      ['app/purge', '/_profiler/'],
    ] as const) {
      const answer = await app.fetch(`/_profiler/${path}`, { ...local, redirect: 'manual' });
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, to], path);
    }
  });
});
