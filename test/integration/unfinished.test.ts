import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createProfiler, type ProfileRecord } from 'lookback/profiler';

const folder = mkdtempSync(join(tmpdir(), 'lookback-unfinished-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const script = fileURLToPath(new URL('./serve-hanging.js', import.meta.url));

/** Starts a server, requests paths that are never answered, and returns the records after the program has ended. */
async function recordsAfter(
  paths: readonly string[],
  end?: NodeJS.Signals,
): Promise<{ code: number | null; printed: string; records: ProfileRecord[] }> {
  const path = join(folder, `${end ?? 'itself'}.db`);
  const child = spawn(process.execPath, ['--enable-source-maps', script], {
    env: { PATH: process.env['PATH'], PORT: '0', PROFILER_STORE: `sqlite:${path}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const closed = once(child, 'close');
  const said = async (words: RegExp): Promise<string> => {
    while (!words.test(printed)) {
      assert.equal(child.exitCode, null, printed);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return words.exec(printed)?.[0] ?? '';
  };
  const url = await said(/http:\/\/127\.0\.0\.1:\d+(?=\D)/);
  const asked: Promise<unknown>[] = [];
  for (const target of paths) {
    asked.push(fetch(url + target).catch(() => undefined));
    if (target === '/hang') await said(new RegExp(`(begun\\n[^]*){${asked.length}}`));
  }
  if (end !== undefined) child.kill(end);
  await Promise.all(asked);
  const [code] = (await closed) as [number | null]; // the first argument of `close`
  const profiler = createProfiler({ store: `sqlite:${path}` });
  try {
    const { rows } = await profiler.list();
    const records: ProfileRecord[] = [];
    for (const { token } of rows) {
      const found = await profiler.find(token);
      if (found.kind === 'found') records.push(found.record);
    }
    return { code, printed, records };
  } finally {
    await profiler.close();
  }
}

describe('requests under way when the process ends are recorded as unfinished', () => {
  it('have no response if a stop cuts them off', async () => {
    const { code, printed, records } = await recordsAfter(['/hang', '/hang'], 'SIGTERM');
    assert.equal(code, 0);
    assert.deepEqual(
      records.map(({ state, request, response }) => [state, request.path, response]),
      [
        ['unfinished', '/hang', null],
        ['unfinished', '/hang', null],
      ],
    );
    assert.match(printed, /Records: 2 made = 2 stored/);
  });

  it('have the uncaught exception only if they threw it', async () => {
    const { code, records } = await recordsAfter(['/hang', '/throw']);
    assert.equal(code, 1);
    const found = new Map(records.map((record) => [record.request.path, record]));
    assert.equal(found.get('/throw')?.exception?.message, 'Nobody catches this.');
    assert.deepEqual([found.get('/hang')?.state, found.get('/hang')?.exception], ['unfinished', null]);
  });
});
