import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProfiler, type ProfileRecord } from '#profiler';
import { until } from '../until.js';
import { watchRequest } from './watch-request.js';

describe('sinks of records', () => {
  it(
    'are given every record of a burst, each as it can be found, in their order',
    { timeout: 60_000 },
    async () => {
      const taken: ProfileRecord[] = [];
      const profiler = createProfiler({
        store: 'memory:',
        sinks: [{ name: 'list', take: (records) => void taken.push(...records) }],
      });
      const paths = Array.from({ length: 3000 }, (_, at) => `/burst/${at}`);
      for (const path of paths) await watchRequest(profiler, { source: { target: path } });
      await profiler.flush();
      const { rows } = await profiler.list({ limit: 3 });
      for (const { token } of rows) {
        const found = await profiler.find(token);
        const given = taken.find((record) => record.token === token);
        assert.ok(found.kind === 'found');
        if (given !== undefined) assert.deepEqual(given, found.record);
      }
      await until(() => taken.length === paths.length);
      await profiler.close();
      assert.deepEqual(
        taken.map(({ request }) => request.path),
        paths,
      );
      assert.equal(profiler.counters().failures, 0);
    },
  );
});
