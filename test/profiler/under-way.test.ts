import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest } from 'lookback';
import { createProfiler } from 'lookback/profiler';
import { until } from '../until.js';

function requestOf(target: string): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target,
    rawHeaders: ['Host', 'localhost'],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
  });
}

describe('the record list', () => {
  it('shows a request that does not end once, while it is still running', async () => {
    const profiler = createProfiler({ store: 'memory:' });
    const begun = performance.now();
    const slow = profiler.begin(requestOf('/slow'));
    const paths = async (): Promise<string[]> => (await profiler.list({})).rows.map(({ path }) => path);
    await until(async () => (await paths()).length > 0);
    assert.deepEqual(await paths(), ['/slow']);
    assert.ok(
      performance.now() - begun >= 1000,
      'shown only after a second, because most requests end sooner',
    );
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
