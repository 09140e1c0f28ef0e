import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ProfileRecord } from 'lookback/profiler';
import type { CommandSection } from '../../src/profiler/sections/commands/section.js';

const cli = resolve('dist/bundle/cli.js');
const secret = 'hunter22';

const program = `
import { createApp } from 'lookback';
import { recordQuery } from 'lookback/instrumentation';
import { setTimeout as pause } from 'node:timers/promises';
export const app = createApp({ configuration: { env: 'dev', debug: true, profilerStore: 'sqlite:records.db' } });
app.command('import', {
  description: 'Imports.',
  positionals: ['file', 'apiKey', 'more…'],
  options: { password: { type: 'string' }, dry: { type: 'boolean' }, app: { type: 'string' } },
}, async ({ options, log, print }) => {
  log.info('{count} imported', { count: 3 });
  recordQuery({ sql: 'SELECT 1', params: [], durationMs: 1, rows: 1, system: 'sqlite' });
  print('done ' + String(options.app ?? ''));
});
app.command('plain', { description: 'Has no option app.' }, ({ print }) => print('plain'));
app.command('code', { description: 'Returns 3.' }, () => 3);
app.command('fails', { description: 'Throws.' }, () => { throw new RangeError('row 7'); });
app.command('exits', { description: 'Ends the process.' }, () => process.exit(5));
app.command('waits', { description: 'Waits.' }, async ({ print }) => { print('waiting'); await pause(60_000); });
app.get('/hello', () => 'x');
`;

interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

describe("an application's commands", () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'commands-'));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(resolve('.'), join(folder, 'node_modules', 'lookback'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'other.mjs'), program);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const run = (args: readonly string[], signal?: NodeJS.Signals): Promise<Ran> =>
    new Promise((done) => {
      const child = spawn(process.execPath, [cli, ...args], {
        cwd: folder,
        env: { PATH: process.env['PATH'] },
      });
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => {
        out += chunk.toString();
        if (signal !== undefined) child.kill(signal);
      });
      child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
      child.on('close', (code, ended) => done({ code, signal: ended, out, err }));
    });
  const app = ['--app', 'other.mjs'];
  const newest = async (): Promise<ProfileRecord> => {
    const { out, err } = await run(['show', 'latest', '--json', '--store', 'sqlite:records.db']);
    assert.ok(out.startsWith('{'), err);
    return JSON.parse(out) as ProfileRecord; // the format that the command prints
  };
  const commandOf = ({ sections }: ProfileRecord): CommandSection => sections['command'] as CommandSection; // the type that the collector stores

  it('leave records with six-digit tokens', async () => {
    assert.equal((await run(['plain', ...app])).code, 0);
    assert.match((await newest()).token, /^[0-9a-f]{6}$/);
  });

  it('are found with --app before and after their name, with and without "run"', async () => {
    for (const args of [
      [...app, 'plain'],
      ['plain', ...app],
      ['run', 'plain', ...app],
      ['run', ...app, 'plain'],
      ['plain', '--app=other.mjs#app'],
    ]) {
      const { code, out, err } = await run(args);
      assert.deepEqual([code, out], [0, 'plain\n'], `${args.join(' ')}: ${err}`);
    }
    const { code, err } = await run(['plain', '--app', 'none.mjs']);
    assert.equal(code, 2);
    assert.match(err, /none\.mjs/);
    const own = await run([...app, 'import', '--app', 'own value']);
    assert.deepEqual([own.code, own.out], [0, 'done own value\n'], own.err);
    const help = await run(['import', ...app, '--help']);
    assert.match(help.out, /Usage: lookback import/);
  });

  it('leave a record with arguments, output, queries and log, without secrets, in the list too', async () => {
    const { code, err } = await run([
      ...app,
      'import',
      'a.csv',
      secret,
      'x',
      'y',
      '--password',
      secret,
      '--dry',
    ]);
    assert.equal(code, 0, err);
    const record = await newest();
    const { name, options, arguments: given, exitCode, signal } = commandOf(record);
    assert.deepEqual([name, exitCode, signal], ['import', 0, '']);
    assert.deepEqual(
      given.entries?.map(({ key, value }) => [key, value.type, value.text]),
      [
        ['file', 'string', 'a.csv'],
        ['apiKey', 'redacted', undefined],
        ['more', 'array', 'Array'],
      ],
    );
    assert.deepEqual(options.entries?.map(({ key, value }) => [key, value.type]).toSorted(), [
      ['dry', 'boolean'],
      ['password', 'redacted'],
    ]);
    assert.deepEqual(
      given.entries?.[2]?.value.entries?.map(({ value }) => value.text),
      ['x', 'y'],
    );
    assert.doesNotMatch(JSON.stringify(record), new RegExp(secret));
    assert.deepEqual(
      [record.request.method, record.request.path, record.route?.name],
      ['CLI', '/import', 'import'],
    );
    assert.ok(record.logs.some(({ message }) => message === '3 imported'));
    assert.match(JSON.stringify(record.sections['db']), /SELECT 1/);
    assert.equal(record.response?.body?.content, 'done \n');
    assert.equal(record.state, 'complete');
    const list = await run(['records', '--store', 'sqlite:records.db']);
    assert.match(list.out, /CLI +\/import/);
    const shown = await run(['show', record.token, '--store', 'sqlite:records.db', '--panel', 'command']);
    assert.match(shown.out, /lookback import/);
    assert.match(shown.out, /a\.csv/);
    assert.doesNotMatch(list.out + shown.out, new RegExp(secret));
    const replayed = await run(['replay', record.token, '--write', '--store', 'sqlite:records.db']);
    assert.match(replayed.out + replayed.err, /it is the record of a command or job/);
  });

  it('that fail, return a code or end the process have it in their record, with the exception', async () => {
    const returned = await run(['code', ...app]);
    assert.equal(returned.code, 3);
    const coded = await newest();
    assert.deepEqual([commandOf(coded).exitCode, coded.response?.status, coded.exception], [3, 500, null]);
    assert.match(
      (await run(['records', '--store', 'sqlite:records.db', 'command.exitCode:>0'])).out,
      / CLI /,
    );
    const thrown = await run(['fails', ...app]);
    assert.equal(thrown.code, 1);
    assert.match(thrown.err, /row 7/);
    const failed = await newest();
    assert.deepEqual([commandOf(failed).exitCode, failed.exception?.message], [1, 'row 7']);
    assert.equal((await run(['exits', ...app])).code, 5);
    const exited = await newest();
    assert.deepEqual([commandOf(exited).exitCode, exited.state], [5, 'unfinished']);
  });

  it('ended by a signal have it in their record, and still end by it', async () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const ended = await run(['waits', ...app], signal);
      assert.equal(ended.signal, signal);
      const record = await newest();
      const command = commandOf(record);
      assert.deepEqual([command.name, command.signal, command.exitCode], ['waits', signal, null]);
    }
  });

  it('leave no record if their arguments are refused, or for their help', async () => {
    const before = await newest();
    assert.equal((await run(['plain', '--nope', ...app])).code, 2);
    assert.equal((await run(['plain', '--help', ...app])).code, 0);
    assert.equal((await newest()).token, before.token);
  });
});
