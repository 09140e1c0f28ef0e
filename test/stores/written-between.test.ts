import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { openStore } from '../../src/profiler/tables/open-store.js';
import { findRecord } from '../../src/profiler/tables/read-records.js';
import type { RunSql, SqlRow } from '../../src/profiler/tables/sql-database.js';
import { sqliteDialect, loadSqlite } from '../../src/profiler/tables/sqlite-driver.js';
import { findWritten } from '../../src/profiler/writer/record-reader.js';
import { finished } from './finished-records.js';

it('a record that is written while another process looks it up is found: it is neither missing nor pruned', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-between-'));
  const path = join(folder, 'profiler.db');
  const store = openStore(`sqlite:${path}`);
  const { reserved } = await store.append({ records: [], reserve: 1 });
  const id = reserved?.from ?? 0;
  const db = new (loadSqlite().DatabaseSync)(path);
  let statements = 0;
  const run: RunSql = async (text, values = []) => {
    const rows = db.prepare(text.replaceAll(/\$(\d+)/g, '?$1')).all(...(values as number[])); // ids and times
    if (++statements === 1) await store.append({ records: [finished({ id })] });
    return rows as SqlRow[]; // by the names of their columns
  };
  assert.equal((await findRecord(run, sqliteDialect, id)).kind, 'found');
  db.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

it('a record that another process is about to write is waited for, although records with later ids were removed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-later-'));
  const address = `sqlite:${join(folder, 'profiler.db')}`;
  const [slow, busy] = [openStore(address), openStore(address)];
  const own = (await slow.append({ records: [], reserve: 1 })).reserved?.from ?? -1;
  const later = (await busy.append({ records: [], reserve: 1 })).reserved?.from ?? -1;
  await busy.append({ records: [finished({ id: later })] });
  await busy.update({ bucket: 'app' }, { remove: true });
  assert.equal((await busy.find(own)).kind, 'pruned');
  const lookup = findWritten(busy, own);
  await slow.append({ records: [finished({ id: own })] });
  assert.equal((await lookup).kind, 'found');
  assert.equal((await findWritten(busy, later)).kind, 'pruned');
  await Promise.all([slow.close(), busy.close()]);
  rmSync(folder, { recursive: true, force: true });
});
