import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { HttpRequest } from '#http';
import { createMemoryStore, createProfiler } from '#profiler';

function requestOf(target: string): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target,
    rawHeaders: ['Host', 'localhost'],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
  });
}

describe('the list of records', () => {
  it('shows a request that does not end, once, and before it is over', async () => {
    const profiler = createProfiler({ store: createMemoryStore(), storeName: 'memory:' });
    const slow = profiler.begin(requestOf('/slow'));
    const paths = async (): Promise<string[]> => (await profiler.list({})).rows.map(({ path }) => path);
    assert.deepEqual(await paths(), []); // most end within a moment
    const deadline = performance.now() + 10_000;
    while ((await paths()).length === 0 && performance.now() < deadline) await wait(20);
    assert.deepEqual(await paths(), ['/slow']);
    const [row] = (await profiler.list({ token: slow.token })).rows;
    assert.equal(row?.status, 0); // nothing was sent
    assert.equal(row.path, '/slow');

    profiler.finish(slow, undefined, { status: 200, headers: [], bodyBytes: 0, completed: true });
    await profiler.flush();
    const [ended] = (await profiler.list({})).rows;
    assert.deepEqual([await paths(), ended?.status], [['/slow'], 200]);
    await profiler.close();
  });
});
