import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { openStore } from '../../src/profiler/storage/tables/open-store.js';
import { findRecord } from '../../src/profiler/storage/tables/read-records.js';
import type { RunSql, SqlRow } from '../../src/profiler/storage/tables/sql-database.js';
import { loadSqlite, sqliteDialect, statementsOf } from '../../src/profiler/storage/tables/sqlite-driver.js';
import { readMeta } from '../../src/profiler/storage/tables/table-schema.js';
import { findWritten } from '../../src/profiler/storage/writer/writer.js';
import { until } from '../until.js';
import { finished } from './finished-records.js';

it('a record written while another process looks it up is found, neither missing nor pruned', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-between-'));
  const path = join(folder, 'profiler.db');
  const store = openStore(`sqlite:${path}`);
  const { reserved } = await store.append({ records: [], reserve: 1 });
  const id = reserved?.from ?? 0;
  const db = new (loadSqlite().DatabaseSync)(path);
  let statements = 0;
  const run: RunSql = async (text, values = []) => {
    const rows = db
      .prepare(text.replaceAll('@', '').replaceAll(/\$(\d+)/g, '?$1'))
      .all(...(values as number[])); // ids and times
    if (++statements === 1) await store.append({ records: [finished({ id })] });
    return rows as SqlRow[]; // keyed by column name
  };
  const tables = { ...sqliteDialect, run, maxBytes: Infinity };
  assert.equal((await findRecord(tables, id)).kind, 'found');
  db.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

it('a pinned record that is older than the age limit causes no search for old records', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-pinned-'));
  const path = join(folder, 'profiler.db');
  const store = openStore(`sqlite:${path}`, { retention: { ageDays: 20 / 86_400_000 } });
  const id = (await store.append({ records: [], reserve: 2 })).reserved?.from ?? 0;
  await store.append({ records: [finished({ id }), finished({ id: id + 1 })] });
  await store.update({ id }, { mark: { note: '' } });
  await until(async () => (await store.append({ records: [] })).tally.records === 1);
  const db = new (loadSqlite().DatabaseSync)(path);
  const rows = statementsOf(db);
  const run: RunSql = async (...statement) => Promise.resolve(rows(...statement));
  const meta = await readMeta({ ...sqliteDialect, run, maxBytes: Infinity });
  assert.ok(!(meta.get('age') > 20), `${meta.get('age')} ms`);
  assert.equal((await store.find(id)).kind, 'found');
  db.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

it('a reader waits for a record that another process is about to write, although records with later ids were removed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-later-'));
  const address = `sqlite:${join(folder, 'profiler.db')}`;
  const [slow, busy] = [openStore(address), openStore(address)];
  const own = (await slow.append({ records: [], reserve: 1 })).reserved?.from ?? -1;
  const later = (await busy.append({ records: [], reserve: 1 })).reserved?.from ?? -1;
  await busy.append({ records: [finished({ id: later })] });
  await busy.update({ origin: 'app' }, { remove: true });
  assert.equal((await busy.find(own)).kind, 'pruned');
  const lookup = findWritten(busy, own);
  await slow.append({ records: [finished({ id: own })] });
  assert.equal((await lookup).kind, 'found');
  assert.equal((await findWritten(busy, later)).kind, 'pruned');
  await Promise.all([slow.close(), busy.close()]);
  rmSync(folder, { recursive: true, force: true });
});
