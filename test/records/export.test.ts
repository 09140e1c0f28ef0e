import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import type { ProfileRecord } from 'lookback/profiler';
import { type RecordedApp, startRecordedApp } from './recorded-app.js';

const cli = resolve('dist/bundle/cli.js');

describe('exported records', () => {
  let recorded: RecordedApp;
  let failed = '';
  before(async () => {
    recorded = startRecordedApp();
    const { client, app } = recorded;
    await client.get('/shelves/blue?shade=dark');
    failed = (await client.get('/fails')).headers.get('x-debug-token') ?? '';
    await client.get('/nowhere');
    await app.profiler?.flush();
  });
  after(() => recorded.close());

  const run = (...args: string[]): Promise<{ code: number; out: string; err: string }> =>
    new Promise((done) => {
      const env = { PATH: process.env['PATH'], PROFILER_STORE: recorded.store };
      execFile(process.execPath, [cli, ...args], { env, maxBuffer: 2 ** 26 }, (error, out, err) =>
        done({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });

  it('are JSON lines, which every command reads like their store', async () => {
    const exported = await run('export');
    assert.equal(exported.code, 0, exported.err);
    const records = exported.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ProfileRecord); // written by the command
    assert.deepEqual(
      records.map(({ request }) => request.path),
      ['/nowhere', '/fails', '/shelves/blue'],
    );
    const file = join(recorded.folder, 'records.jsonl');
    writeFileSync(file, exported.out);
    for (const command of [
      ['records', '--json'],
      ['records', '--json', 'status:>=500'],
      ['records', '--json', '--sort', 'durationMs'],
      ['records', '--json', 'has:error', 'path:/fails'],
      ['show', failed],
      ['show', 'latest'],
      ['errors', '--json'],
      ['slow', '--json'],
      ['diff', failed, records[2]?.token ?? ''],
    ]) {
      const [there, here] = [await run(...command), await run(...command, '--store', file)];
      assert.equal(there.code, 0, command.join(' '));
      const seen = (text: string): string =>
        text.replaceAll(/"visitor":(?:null|"[^"]*")|^- Store: .*$/gm, '');
      assert.equal(seen(here.out), seen(there.out), command.join(' '));
    }
    const again = await run('export', '--store', file);
    assert.equal(again.out, exported.out);
    assert.equal((await run('export', 'status:418')).code, 1);
  });

  it('are opened on another machine as the same pages', async () => {
    const file = join(recorded.folder, 'record.json');
    writeFileSync(file, (await run('show', failed, '--json')).out);
    const child = spawn(process.execPath, [cli, 'open', file], { env: { PATH: process.env['PATH'] } });
    let warned = '';
    child.stderr.on('data', (data) => (warned += String(data)));
    try {
      const signal = AbortSignal.timeout(60_000);
      const [line] = (await once(child.stdout, 'data', { signal })) as [Buffer]; // the event's argument
      const url = line.toString().trim();
      assert.match(url, new RegExp(`^http://127\\.0\\.0\\.1:\\d+/_profiler/${failed}$`));
      const page = await (await fetch(url)).text();
      assert.match(page, /The shelf fell down/);
      const panels = '.md?panel=overview,exception,logs,routing,events,time,db,security';
      const own = await recorded.client.get(`/_profiler/${failed}${panels}`);
      assert.equal(await (await fetch(url + panels)).text(), own.text);
      assert.match(await (await fetch(new URL('.', url))).text(), /\/fails/);
      const ended = once(child, 'exit', { signal });
      child.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
      assert.equal(warned, ''); // warnings about production servers do not concern it
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('can be an HTTP archive', async () => {
    const archive = JSON.parse((await run('export', '--har')).out) as {
      readonly log: {
        readonly version: string;
        readonly entries: readonly { readonly request: { readonly url: string }; readonly comment: string }[];
      };
    }; // the format that browsers read
    assert.equal(archive.log.version, '1.2');
    assert.deepEqual(
      archive.log.entries.map(({ request }) => new URL(request.url).pathname),
      ['/nowhere', '/fails', '/shelves/blue'],
    );
  });

  it('that cannot be read are reported, with exit code 1 if there are no others', async () => {
    const file = join(recorded.folder, 'damaged.db');
    await recorded.app.profiler?.flush();
    const database = new DatabaseSync(recorded.store.slice('sqlite:'.length));
    database.exec(`VACUUM INTO '${file}'`);
    database.close();
    const damaged = new DatabaseSync(file);
    damaged.exec("UPDATE batch SET data = x'00'");
    damaged.close();
    for (const format of [['--har'], []]) {
      const { code, out, err } = await run('export', ...format, '--store', file);
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, /^(\d+) of \1 records cannot be read\. The record [0-9a-f]+ cannot be read\./);
    }
    assert.equal((await run('export', '--har', 'status:418')).err, 'No record matches.\n');
  });

  it('are refused if they are not exports', async () => {
    for (const [name, text, problem] of [
      ['none.jsonl', '{"token":"abcdef"}\nnonsense', /line 1 is not a record: it must have the field/],
      ['newer.json', '', /was written by a newer version/],
    ] as const) {
      const file = join(recorded.folder, name);
      const record = JSON.parse((await run('show', failed, '--json')).out) as object; // as it was written
      writeFileSync(file, text === '' ? JSON.stringify({ ...record, schema: 99 }) : text);
      const { code, err } = await run('records', '--store', file);
      assert.equal(code, 2);
      assert.match(err, problem);
    }
    assert.match(
      (await run('open', join(recorded.folder, 'gone.json'))).err,
      /^CLI_BAD_RECORD_FILE.*: it does not exist\./,
    );
  });
});
