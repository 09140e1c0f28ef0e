import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openArchive, openStore, type ProfileSummary } from 'lookback/profiler';
import { startProgram } from '../integration/child-program.js';
import { until } from '../until.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-processes-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const load = new URL('./record-load.js', import.meta.url);

async function rowsOf(address: string): Promise<ProfileSummary[]> {
  const archive = await openArchive(openStore(address, { isReadOnly: true }));
  try {
    const rows: ProfileSummary[] = [];
    for (let before: string | null | undefined; before !== null;) {
      const page = await archive.list({ limit: 1000, ...(before === undefined ? {} : { before }) });
      rows.push(...page.rows);
      before = page.next;
    }
    return rows;
  } finally {
    await archive.close();
  }
}

describe('processes that record to one file', () => {
  it('store all their records, and never use a token twice', async () => {
    const address = `sqlite:${join(folder, 'two.db')}`;
    const programs = [startProgram(load, [address, '700'], {}), startProgram(load, [address, '700'], {})];
    for (const program of programs) {
      await program.said(/made 700/);
      assert.equal((await program.ended).code, 0);
    }
    const rows = await rowsOf(address);
    assert.equal(rows.length, 1400);
    assert.equal(new Set(rows.map(({ token }) => token)).size, 1400);
    assert.equal(new Set(rows.map(({ path }) => path)).size, 1400);
  });

  it('store a failed request while thousands wait, so that it survives a kill and keeps its token', async () => {
    const address = `sqlite:${join(folder, 'killed.db')}`;
    const program = startProgram(load, [address], {});
    const [, token = ''] = /failed (\w+)/.exec(await program.said(/failed \w+\n/)) ?? [];
    await until(async () => (await rowsOf(address).catch(() => [])).some((row) => row.token === token));
    program.kill('SIGKILL');
    await program.ended;
    const left = await rowsOf(address);
    const next = startProgram(load, [address, '300'], {});
    await next.said(/made 300/);
    await next.ended;
    const rows = await rowsOf(address);
    assert.equal(rows.length, left.length + 300);
    assert.equal(new Set(rows.map((row) => row.token)).size, rows.length);
    assert.equal(rows.find((row) => row.token === token)?.status, 500);
  });

  for (const end of ['exit', 'throw'])
    it(`keep their last record as unfinished when they end by ${end}`, async () => {
      const path = join(folder, `${end}.db`);
      const program = startProgram(new URL('./end-at-once.js', import.meta.url), [path, end], {});
      const { code, printed } = await program.ended;
      assert.equal(code, end === 'exit' ? 3 : 1);
      const rows = await rowsOf(`sqlite:${path}`);
      assert.equal(rows.length, 4);
      assert.ok(rows.every(({ token }) => printed.includes(token)));
      assert.deepEqual(rows.map(({ state }) => state).toSorted(), [
        ...Array<string>(3).fill('complete'),
        'unfinished',
      ]);
    });
});
