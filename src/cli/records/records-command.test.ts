import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { after, describe, it } from 'node:test';
import { flattenError } from '#core/errors';
import type { ProfileRecord } from '#profiler';
import { plain } from '../../../test/profiler/plain-record.js';
import type { CliOutput } from '../command-line/terminal.js';
import { runCli } from '../run-cli.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-records-'));
after(() => rmSync(folder, { recursive: true }));

const route = { name: 'home', path: '/', parameters: [], trace: null, allow: [] };
const records: readonly ProfileRecord[] = [
  {
    ...plain,
    token: 'aaa001',
    startedAt: 3000,
    durationMs: 400,
    route,
    timeline: [{ name: 'own', category: 'controller', startMs: 0, durationMs: 300 }],
  },
  {
    ...plain,
    token: 'aaa002',
    startedAt: 2000,
    durationMs: 100,
    response: plain.response && { ...plain.response, status: 404 },
    findings: [{ section: 'request', kind: 'refused', level: 'warn', text: 'No route matches GET /' }],
  },
  { ...plain, token: 'aaa003', startedAt: 1000, durationMs: 20, response: null, state: 'unfinished' },
  { ...plain, token: 'aaa004', startedAt: 500, durationMs: 5, origin: 'profiler' },
];

function fileOf(name: string, kept: readonly ProfileRecord[]): string {
  const path = join(folder, name);
  writeFileSync(path, kept.map((one) => `${JSON.stringify(one)}\n`).join(''));
  return path;
}
const file = fileOf('records.jsonl', records);

async function run(
  args: readonly string[],
  output: Pick<CliOutput, 'columns' | 'isColored'> = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let [out, err] = ['', ''];
  const [command = '', ...rest] = args;
  const code = await runCli([command, '--store', file, ...rest], {
    out: (text) => (out += text),
    err: (text) => (err += text),
    ...output,
  });
  return { code, out, err };
}

describe('lookback records', () => {
  it('lists all request facts for a pipe, newest first', async () => {
    const { code, out, err } = await run(['records']);
    assert.deepEqual([code, err], [0, '']);
    const [head, line, ...rows] = out.trimEnd().split('\n');
    assert.match(head ?? '', /^Token +Time +Status +Method +Path +Duration +Queries +Route +Error +Problem$/);
    assert.match(line ?? '', /^[- ]+$/);
    assert.deepEqual(
      rows.map((row) => row.trimEnd().split(/ {2,}/)),
      [
        ['aaa001', '1970-01-01 00:00:03', '200', 'GET', '/', '400 ms', 'home', 'Your code took 300 ms'],
        ['aaa002', '1970-01-01 00:00:02', '404', 'GET', '/', '100 ms', 'No route matches GET /'],
        ['aaa003', '1970-01-01 00:00:01', 'unfinished', 'GET', '/', '20.0 ms', 'unfinished'],
      ],
    );
  });

  it("respects the limit, says that there are more, and lists the profiler's own requests", async () => {
    const two = await run(['records', '--limit', '2']);
    assert.deepEqual([two.out.trimEnd().split('\n').length, two.err], [4, 'There are more: see --limit.\n']);
    const own = await run(['records', '--own']);
    assert.match(own.out, /aaa004/);
    assert.doesNotMatch(own.out, /aaa001/);
    const sorted = await run(['records', '--sort', 'durationMs', 'status:404,200']);
    assert.deepEqual(sorted.out.match(/aaa00\d/g), ['aaa001', 'aaa002']);
  });

  it('sorts by query language names, and rejects names that are not numbers in a record', async () => {
    const shortest = await run(['records', '--sort=-duration', 'status:404,200']);
    assert.deepEqual(shortest.out.match(/aaa00\d/g), ['aaa002', 'aaa001']);
    for (const name of ['durations', 'route']) {
      const { code, out, err } = await run(['records', '--sort', name]);
      assert.deepEqual([code, out], [2, '']);
      assert.match(
        err,
        new RegExp(`^--sort must name a number, such as duration, status or queries, not "${name}"`),
      );
    }
  });

  it('prints JSON only, one line per record', async () => {
    const { code, out, err } = await run(['records', '--json', '--limit', '2']);
    assert.deepEqual([code, err], [0, '']);
    const tokens = out
      .trimEnd()
      .split('\n')
      .map((row) => (JSON.parse(row) as { token: string }).token);
    assert.deepEqual(tokens, ['aaa001', 'aaa002']);
    assert.deepEqual(await run(['records', '--json', 'status:500']), { code: 1, out: '', err: '' });
  });

  it('says that nothing matches, and which part of a query is invalid', async () => {
    assert.deepEqual(await run(['records', 'status:500']), { code: 1, out: '', err: 'No record matches.\n' });
    const wrong = await run(['records', 'statsu:5', 'time:x']);
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /“statsu”: .*Did you mean “status”\?.*“x”: /s);
  });

  it('fits a terminal: the age, the request in one column, and a time bar if there is room', async () => {
    const { out } = await run(['records'], { columns: 100 });
    const [head, first, second, third] = out.trimEnd().split('\n');
    assert.match(head ?? '', /^Token +Age +Request +Time +What stands out$/);
    assert.match(first ?? '', /^aaa001 +[\d,]+ d +200 GET \/ +█{10} +400 ms/);
    assert.match(second ?? '', /^aaa002 +[\d,]+ d +404 GET \/ +███ +100 ms +No route matches GET/);
    assert.match(third ?? '', /unfinished GET \/ +█ +20\.0 ms +unfinished/);
    for (const row of out.split('\n')) assert.ok(row.length <= 100, row);
    const narrow = await run(['records'], { columns: 80 });
    assert.match(narrow.out, /^aaa001 +[\d,]+ d +200 GET \/ +400 ms +Your code took 300 ms$/m);
    for (const row of narrow.out.split('\n')) assert.ok(row.length <= 80, row);
    assert.match(narrow.out, /\n3 records · lookback show aaa001\n$/);
    const few = await run(['records', '--limit', '2'], { columns: 80 });
    assert.match(few.out, /\n2 of 3 · --limit 2 · lookback show aaa001\n$/);
    assert.equal(few.err, '');
  });

  it('uses colours if the terminal does: the status by class, the bar by kind of work', async () => {
    const { FORCE_COLOR: forced } = process.env;
    process.env['FORCE_COLOR'] = '1'; // the test's own output is not a terminal
    const { out } = await run(['records'], { columns: 100, isColored: true });
    if (forced === undefined) delete process.env['FORCE_COLOR'];
    else process.env['FORCE_COLOR'] = forced;
    const bare = await run(['records'], { columns: 100 });
    assert.equal(stripVTControlCharacters(out).replaceAll('░', '█'), bare.out);
    const [, first = '', second = '', third = ''] = out.split('\n');
    assert.ok(first.includes('\u001b[36m████████\u001b[39m\u001b[2m░░\u001b[22m'), JSON.stringify(first));
    assert.match(second, /\u001b\[33m404/); // oxlint-disable-line no-control-regex -- a colour
    assert.match(third, /\u001b\[31munfinished/); // oxlint-disable-line no-control-regex -- a colour
    assert.doesNotMatch(first, /\u001b\[3[13]m200/); // oxlint-disable-line no-control-regex -- a colour
  });
});

describe('lookback reports', () => {
  it('count requests, in total or by a column', async () => {
    assert.deepEqual(await run(['count']), { code: 0, out: '3\n', err: '' });
    assert.deepEqual(await run(['count', 'status:500']), { code: 1, out: '0\n', err: '' });
    const by = await run(['count', '--by', 'status']);
    assert.match(by.out, /^Count +Failed +status\n[- ]+\n(?:1 +0 +\d+\n){3}$/);
    const wrong = await run(['count', '--by', 'url']);
    assert.deepEqual([wrong.code, wrong.err.startsWith('--by must be one of route')], [2, true]);
    const json = await run(['count', '--by', 'route', '--json']);
    assert.deepEqual(
      json.out
        .trimEnd()
        .split('\n')
        .map((row) => (JSON.parse(row) as { count: number }).count),
      [2, 1],
    );
  });

  it('list routes up to the limit', async () => {
    const { out } = await run(['slow']);
    assert.match(
      out,
      /^Route +p50 +p95 +Slowest +Count +Failed +Token\n[- ]+\nhome +400 ms +400 ms +400 ms +1 +0 +aaa001\n\(none\)/,
    );
    assert.equal((await run(['slow', '--limit', '1'])).out.trimEnd().split('\n').length, 3);
  });

  it('list errors and, in a terminal, only what fits: time of day, file name, and the class if there is room', async () => {
    const exception = { ...flattenError(new TypeError('It broke'), {}), status: 500 };
    const path = fileOf('errors.jsonl', [{ ...plain, token: 'bbb001', startedAt: 3000, route, exception }]);
    const errors = async (columns?: number): Promise<string> => {
      let out = '';
      const code = await runCli(['errors', '--store', path], {
        out: (text) => (out += text),
        err: (text) => assert.fail(text),
        ...(columns === undefined ? {} : { columns }),
      });
      assert.equal(code, 0);
      return out;
    };
    assert.match(
      await errors(),
      /^Count +Message +Error +Location +First +Last +Token\n[- ]+\n1 +It broke +TypeError +\S*cli\/records\/records-command\S*:\d+ +1970-01-01 00:00:03 +1970-01-01 00:00:03 +bbb001/,
    );
    assert.match(
      await errors(100),
      /^Count +Message +Error +Location +Last +Token\n[- ]+\n1 +It broke +TypeError +records-command\S*:\d+ +01-01 00:00 +bbb001/,
    );
    assert.match(await errors(99), /^Count +Message +Location +Last +Token\n/);
  });
});

describe('lookback export', () => {
  it('writes records as JSON lines or as one archive, up to the limit', async () => {
    const lines = await run(['export']);
    assert.deepEqual(
      lines.out
        .trimEnd()
        .split('\n')
        .map((row) => (JSON.parse(row) as ProfileRecord).token),
      ['aaa001', 'aaa002', 'aaa003'],
    );
    const archive = await run(['export', '--har', '--limit', '2']);
    const { log } = JSON.parse(archive.out) as {
      log: { version: string; entries: { request: { url: string } }[] };
    };
    assert.deepEqual([log.version, log.entries.length, archive.code, archive.err], ['1.2', 2, 0, '']);
    const none = await run(['export', '--har', 'status:500']);
    assert.deepEqual(none, { code: 1, out: '', err: 'No record matches.\n' });
  });
});

describe('lookback show and diff', () => {
  it('print a record, or one of its panels, as Markdown or JSON', async () => {
    assert.match((await run(['show', 'aaa001'])).out, /^# 200 GET http:\/\/a\.test\/\n/);
    assert.equal(
      (JSON.parse((await run(['show', 'aaa001', '--json'])).out) as ProfileRecord).token,
      'aaa001',
    );
    const panel = await run(['show', 'latest', '--panel', 'routing']);
    assert.match(panel.out, /^## Routing$/m);
    assert.doesNotMatch(panel.out, /^## Logs$/m);
  });

  it('print the newest record that matches a query, and say if there is none or it is misspelt', async () => {
    const { out } = await run(['records', 'status:200', '--json']);
    const [newest] = out.split('\n');
    const { token } = JSON.parse(newest ?? '') as ProfileRecord;
    assert.equal(
      (JSON.parse((await run(['show', 'status:200', '--json'])).out) as ProfileRecord).token,
      token,
    );
    const none = await run(['show', 'status:200 path:/nowhere']);
    assert.deepEqual(none, { code: 1, out: '', err: 'No record matches.\n' });
    assert.match((await run(['show', 'status:many'])).err, /“many”|“status:many”/);
  });

  it('compare two records, and name what they lack', async () => {
    assert.match((await run(['diff', 'aaa001', 'aaa002'])).out, /^# Comparison/);
    const gone = await run(['diff', 'aaa001', 'aaa009']);
    assert.deepEqual([gone.code, gone.out], [1, '']);
    assert.match(gone.err, /^Record aaa009 was not kept\.\n/);
    const lonely = await run(['diff', 'aaa001']);
    assert.match(lonely.err, /^No earlier request to this route succeeded\.\n/);
    for (const command of ['show', 'diff']) assert.match((await run([command])).err, /token/i);
  });
});

describe('the record source', () => {
  it("is a readable file, or another process's store", async () => {
    const refusal = async (store: string): Promise<string> => {
      let err = '';
      const code = await runCli(['records', '--store', store], {
        out: () => {},
        err: (text) => (err += text),
      });
      assert.notEqual(code, 0);
      return err;
    };
    assert.match(await refusal('off'), /The store is "off": nothing is recorded\./);
    assert.match(await refusal('memory:'), /records in memory cannot be read from another process/);
    assert.match(await refusal(join(folder, 'gone.jsonl')), /gone\.jsonl/);
    const path = join(folder, 'broken.json');
    writeFileSync(path, '\uFEFF{"schema":');
    assert.match(await refusal(path), /broken\.json/);
    writeFileSync(path, `\uFEFF${JSON.stringify(records[0])}`);
    let out = '';
    await runCli(['records', '--store', path], {
      out: (text) => (out += text),
      err: (text) => assert.fail(text),
    });
    assert.match(out, /aaa001/);
  });
});
