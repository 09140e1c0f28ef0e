import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { hostile, type RecordedApp, startRecordedApp } from './recorded-app.js';

const steers = (text: string): boolean => ['\u001B', '\u0007', '\u202E'].some((one) => text.includes(one));
const cli = resolve('dist/bundle/cli.js');

describe('record commands', () => {
  let recorded: RecordedApp;
  let failed = '';
  before(async () => {
    recorded = startRecordedApp();
    const { client, app } = recorded;
    await client.get('/shelves/blue');
    await client.get('/shelves/red?secret=hunter2&password=hunter2');
    failed = (await client.get('/fails')).headers.get('x-debug-token') ?? '';
    await client.get('/nowhere');
    await app.profiler?.flush();
  });
  after(() => recorded.close());

  const environment = (): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    PROFILER_STORE: recorded.store,
  });
  const run = (...args: string[]): Promise<{ code: number; out: string; err: string }> =>
    new Promise((done) => {
      execFile(process.execPath, [cli, ...args], { env: environment() }, (error, out, err) =>
        done({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  const lines = (text: string): Record<string, unknown>[] =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('list the records selected by a query, while the application has the file open', async () => {
    const all = await run('records');
    assert.equal(all.code, 0, all.err);
    assert.match(all.out, /^Token +Time +Status +Method +Path/);
    assert.equal(all.out.trim().split('\n').length, 6);
    assert.doesNotMatch(all.out, /hunter2/);
    const { out } = await run('records', '--json', 'status:>=500', 'path:/fails');
    assert.deepEqual(
      lines(out).map(({ token, status }) => [token, status]),
      [[failed, 500]],
    );
    const few = await run('records', '-n', '1', '--sort', 'durationMs');
    assert.match(few.err, /There are more/);
    assert.equal(few.out.trim().split('\n').length, 3, 'two header lines and one row');
    assert.deepEqual(
      [(await run('records', 'status:418')).code, (await run('records', '--json', '--', '-status:200')).code],
      [1, 0],
    );
  });

  it('report unknown input, with exit code 2', async () => {
    const query = await run('records', 'statsu:500');
    assert.deepEqual([query.code, query.out], [2, '']);
    assert.match(query.err, /^CLI_BAD_QUERY: “statsu”: There is no field “statsu”\. Did you mean “status”\?/);
    for (const [args, problem] of [
      [['records', 'time:>5ms', 'status:high'], /^CLI_BAD_QUERY: “high”: /],
      [['records', '--nix'], /COMMAND_BAD_ARGUMENTS[\s\S]*Usage: lookback records/],
      [
        ['records', '--store', 'memory:'],
        /records in memory cannot be read from another process[\s\S]*PROFILER_STORE=sqlite:/,
      ],
    ] as const) {
      const { code, out, err } = await run(...args);
      assert.deepEqual([code, out], [2, ''], args.join(' '));
      assert.match(err, problem);
    }
    const missing = join(recorded.folder, 'none.db');
    const absent = await run('records', '--store', `sqlite:${missing}`);
    assert.deepEqual([absent.code, existsSync(missing)], [2, false]);
    assert.match(absent.err, /^PROFILER_STORE_ABSENT: There is no store at/);
    assert.equal((await run('show')).code, 2);
    for (const command of [
      'records',
      'show',
      'diff',
      'errors',
      'slow',
      'count',
      'logs',
      'replay',
      'export',
      'open',
      'mcp',
    ]) {
      const help = await run(command, '--help');
      assert.deepEqual([help.code, help.err], [0, ''], command);
      assert.match(help.out, new RegExp(`^Usage: lookback ${command}`));
    }
  });

  it('show a record as its page does', async () => {
    const { code, out } = await run('show', failed);
    assert.equal(code, 0);
    const page = await recorded.client.get(`/_profiler/${failed}.md`);
    const steady = (text: string): string =>
      text
        .replace(/\n### This process[\s\S]*?(?=\n## |$)/, '') // comes before the rest if something was cut off
        .replace(/\n## Settings[\s\S]*$/, '')
        .replace(/\n## Config[\s\S]*$/, '');
    assert.equal(steady(out), steady(page.text));
    assert.ok(!steers(out));
    const only = await run('show', 'latest', '--panel', 'routing');
    assert.match(only.out, /## Routing/);
    assert.doesNotMatch(only.out, /## Request/);
    const misspelt = await run('show', 'latest', '--panel', 'logs,routng');
    assert.deepEqual([misspelt.code, misspelt.out], [1, '']);
    assert.match(misspelt.err, /^There is no panel “routng”\.\nA record has these panels: overview, /);
    const [record] = lines((await run('show', failed, '--json')).out);
    assert.equal(record?.['token'], failed);
    const unknown = await run('show', 'abcdef123456');
    assert.equal(unknown.code, 1);
    assert.match(unknown.err, /^No record abcdef123456\./);
  });

  it('count and logs search across requests, and refuse unknown columns and levels', async () => {
    const all = await run('count');
    assert.match(all.out, /^\d+\n$/);
    const byRoute = lines((await run('count', '--by', 'route', '--json')).out);
    assert.ok(byRoute.some((row) => row['value'] === 'get_shelves_name'));
    assert.equal(
      byRoute.reduce((sum, row) => sum + Number(row['count']), 0),
      Number(all.out),
    );
    assert.equal((await run('count', '--by', 'colour')).code, 2);
    const found = lines((await run('logs', '--text', 'ladder', '--level', 'warning', '--json')).out);
    assert.deepEqual(new Set(found.map((line) => line['message'])), new Set(['The ladder is gone.']));
    const none = await run('logs', '--text', 'nobody wrote this');
    assert.deepEqual([none.code, none.out, none.err], [1, '', 'Nothing matches.\n']);
    const loud = await run('logs', '--level', 'loud');
    assert.deepEqual([loud.code, loud.err.startsWith('--level must be one of debug, ')], [2, true]);
  });

  it('compare two records', async () => {
    const { rows } = (await recorded.app.profiler?.list({})) ?? { rows: [] };
    const [red = '', blue = ''] = rows
      .filter(({ route }) => route === 'get_shelves_name')
      .map(({ token }) => token);
    const { code, out } = await run('diff', red, blue);
    assert.equal(code, 0);
    assert.match(out, /^# Comparison[\s\S]*shelves\/red[\s\S]*shelves\/blue/);
    assert.match((await run('diff', red)).out, new RegExp(`Record: \`${blue}\``));
    const alone = await run('diff', failed);
    assert.equal(alone.code, 1);
    assert.match(alone.err, /^No earlier request to this route succeeded\.\nNo earlier GET request of “/);
    assert.match((await run('diff', 'abcdef')).err, /^No record abcdef/);
  });

  it('count errors and slow routes', async () => {
    const [group, more] = lines((await run('errors', '--json', 'class:TypeError')).out);
    assert.deepEqual(
      [group?.['error'], group?.['count'], group?.['lastToken'], more],
      ['TypeError', 1, failed, undefined],
    );
    assert.match(String(group?.['location']), /recorded-app\.[jt]s:\d+/);
    assert.equal(group?.['request'], 'GET /fails');
    const all = lines((await run('errors', '--json')).out);
    assert.deepEqual(
      all.map((row) => Number(row['failed']) > 0),
      all.map((row) => Number(row['failed']) > 0).toSorted((a, b) => Number(b) - Number(a)),
      'failures before refusals',
    );
    assert.ok(all.length > 1);
    const slow = lines((await run('slow', '--json')).out);
    assert.ok(slow.some(({ count }) => count === 2));
    assert.match((await run('slow')).out, /^Route +p50 +p95 +Slowest/);
  });

  it('print no colours outside a terminal, and escape control sequences', async () => {
    const { out } = await run('records', '"shelf fell"', '--json');
    assert.ok(!steers(out));
    assert.ok(String(lines(out)[0]?.['exception']).includes(hostile));
    assert.ok(!steers((await run('records')).out + (await run('errors')).out));
  });

  it('print no control sequences from a foreign file, not even in the reason for refusing it', async () => {
    const [record] = lines((await run('show', failed, '--json')).out);
    const file = join(recorded.folder, 'foreign.json');
    writeFileSync(
      file,
      JSON.stringify({ ...record, request: { ...Object(record?.['request']), method: `GET${hostile}` } }),
    );
    const { code, out, err } = await run('records', '--store', file);
    assert.deepEqual([code, steers(out + err)], [0, false]);
    assert.match(out, /GET⟨U\+001B⟩\[31m/);
    const replayed = await run('replay', failed, '--store', file);
    assert.deepEqual([replayed.code, steers(replayed.err)], [1, false]);
    assert.match(replayed.err, /GET⟨U\+001B⟩\[31m.* it is sent only by “lookback replay --write”/);
  });

  it('follow new records', async () => {
    const child = spawn(process.execPath, [cli, 'records', '--follow', '--json', 'path:/shelves'], {
      env: environment(),
    });
    const seen = new Promise<string>((found) =>
      child.stdout.once('data', (chunk: Buffer) => found(chunk.toString())),
    );
    const asking = setInterval(() => void recorded.client.get('/shelves/followed'), 50);
    const [row] = lines((await seen).split('\n', 1)[0] ?? '');
    clearInterval(asking);
    assert.equal(row?.['path'], '/shelves/followed');
    child.kill();
    await new Promise((ended) => child.once('close', ended));
  });
});
