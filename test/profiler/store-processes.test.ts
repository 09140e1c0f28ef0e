import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createProfiler, createSqliteStore } from '#profiler';
import { getRecord } from './watch-request.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-processes-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const script = fileURLToPath(new URL('write-many.js', import.meta.url));

/** Runs a writer; gives what it said was stored, and how it ended. */
async function write(
  path: string,
  count: number,
  killAfterTokens?: number,
): Promise<[string[], number | null]> {
  const child = spawn(process.execPath, [script, path, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (killAfterTokens !== undefined && text.length > killAfterTokens * 7) child.kill('SIGKILL');
  });
  const [code] = (await once(child, 'close')) as [number | null]; // the first argument of 'close'
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return [whole.split('\n').filter((token) => token !== ''), code];
}

async function check(path: string, tokens: readonly string[]): Promise<void> {
  assert.equal(new Set(tokens).size, tokens.length);
  const profiler = createProfiler({ store: createSqliteStore(path), storeName: path });
  try {
    for (const token of tokens) assert.equal((await getRecord(profiler, token)).token, token);
  } finally {
    await profiler.close();
  }
  const driver = fileURLToPath(new URL('../../../test/profiler/faulting-driver.cjs', import.meta.url));
  const db = new (createRequire(import.meta.url)(driver).DatabaseSync)(path);
  assert.equal(db.prepare('PRAGMA integrity_check').get().integrity_check, 'ok');
  db.close();
}

describe('one file for several processes', () => {
  for (const end of ['exit', 'throw']) {
    it(`a process that ends at once (${end}) leaves the records of its requests, the request under way as unfinished`, async () => {
      const path = join(folder, `${end}.db`);
      const child = spawn(process.execPath, [script.replace('write-many', 'end-at-once'), path, end], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      await once(child, 'close');
      const tokens = text.trim().split('\n');
      assert.equal(tokens.length, 4);
      await check(path, tokens);
      const profiler = createProfiler({ store: createSqliteStore(path), storeName: path });
      const states = await Promise.all(tokens.map(async (token) => (await getRecord(profiler, token)).state));
      await profiler.close();
      assert.deepEqual(states, ['complete', 'complete', 'complete', 'unfinished']);
    });
  }

  it('killed again and again: what was said to be stored is there, and the file is in order', async () => {
    const path = join(folder, 'killed.db');
    const tokens: string[] = [];
    for (let round = 0; round < 6; round++) {
      const runs = await Promise.all([write(path, 100_000, 40 + round * 30), write(path, 100_000, 60)]);
      for (const [some] of runs) {
        assert.ok(some.length > 0);
        tokens.push(...some);
      }
    }
    await check(path, tokens);
  });
});
