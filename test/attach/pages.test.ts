import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { attach } from 'lookback/attach';
import { listenOn } from './apps/listen.js';
import { until } from '../until.js';

/** The maximum number of pages that may follow the list at once. */
const places = 20;

describe('pages on another server', () => {
  it('a page that follows the list frees its slot as soon as its client has left', async () => {
    const server = createServer((_request, response) => response.end('hello'));
    const attached = attach(server, { store: 'memory:' });
    const { port, close } = await listenOn(server, () => attached.close());
    const pages = `http://127.0.0.1:${port}/_profiler`;
    const list = await (await fetch(`${pages}/`, { headers: { accept: 'text/html' } })).text();
    const position = /data-position="([^"]+)"/.exec(list)?.[1] ?? assert.fail('the list has no position');
    const follow = async (): Promise<{ status: number; leave: () => void }> => {
      const left = new AbortController();
      const { status, body } = await fetch(`${pages}/live?position=${encodeURIComponent(position)}`, {
        signal: left.signal,
      });
      await body?.getReader().read(); // the stream has begun
      return { status, leave: () => left.abort() };
    };
    const followers = await Promise.all(Array.from({ length: places }, follow));
    assert.ok(followers.every(({ status }) => status === 200));
    assert.equal((await follow()).status, 503);
    followers[0]?.leave();
    // The slot is free once the server notices that the connection is closed; the next heartbeat is 15 seconds away.
    const last = await until(async () => {
      const next = await follow();
      return next.status === 200 && next;
    });
    for (const { leave } of [...followers, last]) leave();
    await close();
  });
});
