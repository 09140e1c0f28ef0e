import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { openStore } from '../../src/profiler/tables/open-store.js';
import { findRecord } from '../../src/profiler/tables/read-records.js';
import type { RunSql, SqlRow } from '../../src/profiler/tables/sql-database.js';
import { sqliteDialect, loadSqlite } from '../../src/profiler/tables/sqlite-driver.js';
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
