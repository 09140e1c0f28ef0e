import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createApp } from 'lookback';
import { local } from '../local-peer.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-damaged-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('a profiler store that cannot be used', () => {
  it('is left unchanged if the file is not a store, and is logged once', async () => {
    const path = join(folder, 'profiler.db');
    writeFileSync(path, Buffer.alloc(20_000, 'no database'));
    const said: string[] = [];
    const app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: `sqlite:${path}` },
      logHandlers: [{ handle: ({ message }) => said.push(message) }],
    });
    app.get('/', () => 'served');
    for (let turn = 0; turn < 3; turn++) {
      assert.equal(await (await app.fetch('/', local)).text(), 'served');
      await app.profiler?.flush();
    }
    await app.close();
    assert.equal(said.filter((line) => line.includes('PROFILER_STORE_FOREIGN')).length, 1);
    assert.ok(said.includes('Records: 3 made = 0 stored + 0 pruned + 3 dropped + 0 pending.'));
    assert.deepEqual(readFileSync(path), Buffer.alloc(20_000, 'no database'));
  });
});
