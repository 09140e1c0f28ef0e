import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openStore } from 'lookback/profiler';
import { findPostgres, type StorePostgres } from '../profiler/store-servers.js';

const script = fileURLToPath(new URL('append-forever.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'lookback-killed-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a process that appends, kills it after `count` records, and returns the ids that it reported as stored. */
async function appendAndKill(address: string, count: number): Promise<number[]> {
  const child = spawn(process.execPath, [script, address], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (text.split('\n').length > count) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return text.slice(0, text.lastIndexOf('\n')).split('\n').map(Number);
}

describe('processes that share a store and are killed', () => {
  let server: StorePostgres;
  before(async () => {
    server = await findPostgres();
  });
  after(() => server.stop());
  for (const kind of ['SQLite', 'PostgreSQL'])
    it(`leave each record that they reported as stored in ${kind} exactly once, and a working store`, async () => {
      const address =
        kind === 'SQLite' ? `sqlite:${join(folder, 'killed.db')}` : `${server.address}?schema=killed`;
      const written = await Promise.all([40, 80, 120].map((count) => appendAndKill(address, count)));
      const ids = written.flat();
      assert.ok(ids.length >= 240);
      assert.equal(new Set(ids).size, ids.length);
      const store = openStore(address);
      for (const id of ids) {
        const found = await store.find(id);
        assert.equal(found.kind === 'found' && found.record.request.path, `/${id}`);
      }
      const { tally } = await store.append({ records: [] });
      // The response to a process's last append may have been cut off.
      assert.ok(tally.records >= ids.length && tally.records <= ids.length + 3 * 8, String(tally.records));
      const [all] = (await store.totals({ isCountOnly: true })).groups;
      assert.equal(all?.count, tally.records);
      await store.close();
    });
});
