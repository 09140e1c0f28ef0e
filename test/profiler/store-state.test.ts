import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { createProfiler, type StoreState } from '#profiler';
import { until } from '../until.js';
import { watchRequest } from './watch-request.js';

it('createProfiler: an unusable store is reported through onState, and pending records can still be read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-state-'));
  const path = join(folder, 'notes.txt');
  writeFileSync(path, 'This file never was a store.');
  const states: StoreState[] = [];
  const profiler = createProfiler({ store: `sqlite:${path}`, onState: (state) => states.push(state) });
  try {
    watchRequest(profiler, { source: { target: '/kept' } });
    await until(async () => (await profiler.list()).rows.some((row) => row.path === '/kept'));
    await until(() => states.some(({ status }) => status === 'failing'));
    assert.match(states[0]?.code ?? '', /^PROFILER_STORE_/);
    assert.equal(profiler.state().status, 'failing');
  } finally {
    await profiler.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
