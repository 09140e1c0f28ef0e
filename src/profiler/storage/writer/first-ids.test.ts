import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { isCodedError } from '#core/coded-error';
import { openStore } from '../tables/open-store.js';
import { defaultRetention } from '../tables/retention.js';
import { SqliteDatabase } from '../tables/sqlite-database.js';
import { loadSqlite } from '../tables/sqlite-driver.js';
import { type FirstIds, reserveFirstIds } from './first-ids.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-first-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const addressOf = (file: string): string => `sqlite:${join(folder, file)}`;

async function reserve(address: string): Promise<FirstIds | undefined> {
  return reserveFirstIds({ address, retention: defaultRetention }, 8);
}

async function codeOf(address: string): Promise<string | undefined> {
  return reserve(address).then(
    () => undefined,
    (error: unknown) => (isCodedError(error) ? error.code : String(error)),
  );
}

describe("a process's first ids", () => {
  it('are reserved in the file that the writer thread opens later, and never again', async () => {
    const address = addressOf('new.db');
    const first = await reserve(address);
    const second = await reserve(address);
    assert.ok(first !== undefined && second !== undefined);
    assert.deepEqual([first.to - first.from, second.from], [8, first.to]);
    const store = openStore(address);
    const { reserved } = await store.append({ records: [], reserve: 1 });
    assert.equal(reserved?.from, second.to);
    first.release();
    second.release();
    await store.close();
  });

  it('are not reserved while another process has the lock, without waiting for it or keeping a connection', async (t) => {
    const address = addressOf('locked.db');
    (await reserve(address))?.release();
    const { DatabaseSync } = loadSqlite();
    const other = new DatabaseSync(join(folder, 'locked.db'));
    other.exec('BEGIN IMMEDIATE');
    const begun = performance.now();
    const closed = t.mock.method(SqliteDatabase.prototype, 'closeNow'); // still closes
    assert.equal(await codeOf(address), 'PROFILER_STORE_BUSY');
    assert.equal(closed.mock.callCount(), 1);
    assert.ok(performance.now() - begun < 1500, 'it waited as long as the writer thread');
    other.exec('ROLLBACK');
    other.close();
    assert.equal(await codeOf(address), undefined);
  });

  it('are not reserved in a damaged file, which stays for the writer thread, nor in a store that is no file', async () => {
    writeFileSync(join(folder, 'damaged.db'), 'x'.repeat(10_000));
    assert.match((await codeOf(addressOf('damaged.db'))) ?? '', /^PROFILER_STORE_/);
    assert.equal(readFileSync(join(folder, 'damaged.db'), 'utf8'), 'x'.repeat(10_000));
    for (const address of ['memory:', 'postgres://127.0.0.1:1/none'])
      assert.equal(await reserve(address), undefined);
    assert.equal(existsSync(join(folder, 'memory:')), false);
  });
});
