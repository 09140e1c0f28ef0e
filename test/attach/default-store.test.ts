import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { openStore } from 'lookback/profiler';
import { freePort } from '../free-port.js';
import { until } from '../until.js';
import { ask, wire } from './wire.js';

const root = mkdtempSync(join(tmpdir(), 'default-store-'));
after(() => rmSync(root, { recursive: true, force: true }));

describe('the default store of a program with the flag', () => {
  const folder = join(root, 'program');
  const env = { PATH: process.env['PATH'], XDG_STATE_HOME: join(root, 'state') };

  it("is outside the folder that the program may serve or watch, and commands find it from the program's folder", async () => {
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'app.mjs'),
      `import { createServer } from 'node:http';
       const server = createServer((request, response) => response.end('hello'));
       server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send('up'));
       process.on('message', () => server.close(() => process.disconnect()));`,
    );
    const port = await freePort();
    const child = spawn(process.execPath, ['--import', resolve('dist/bundle/register.js'), 'app.mjs'], {
      cwd: folder,
      env: { ...env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    await once(child, 'message');
    await wire(port, ask('GET', '/a-page'));
    const command = [resolve('dist/bundle/cli.js'), 'records'];
    const read = (): string =>
      spawnSync(process.execPath, command, { cwd: folder, env, encoding: 'utf8' }).stdout;
    await until(() => /GET.*\/a-page/.test(read()), 'the record, by the command');
    const ended = once(child, 'exit');
    child.send('stop');
    assert.deepEqual(await ended, [0, null]);
    assert.deepEqual(readdirSync(folder), ['app.mjs']);
  });

  it('is found from parent folders, also without a package.json, and from subfolders, and its path is printed elsewhere', () => {
    mkdirSync(join(folder, 'src', 'inner'), { recursive: true });
    const elsewhere = join(root, 'elsewhere', 'a', 'b');
    mkdirSync(elsewhere, { recursive: true });
    const records = (cwd: string): { readonly stdout: string; readonly stderr: string } =>
      spawnSync(process.execPath, [resolve('dist/bundle/cli.js'), 'records'], { cwd, env, encoding: 'utf8' });
    const find = (cwd: string): void => {
      const { stdout, stderr } = records(cwd);
      assert.match(stdout, /GET.*\/a-page/, stderr);
      assert.match(
        stderr,
        /^lookback: using the records of another folder: sqlite:.*program-[\da-f]{12}\.db$/m,
      );
    };
    find(root);
    writeFileSync(join(folder, 'package.json'), '{}');
    for (const cwd of [root, join(folder, 'src', 'inner')]) find(cwd);
    assert.match(
      records(elsewhere).stderr,
      /Programs in other folders have these:\n {2}--store .*program-[\da-f]{12}\.db/,
    );
    const problems = (): { readonly stdout: string; readonly stderr: string } =>
      spawnSync(process.execPath, [resolve('dist/bundle/cli.js'), 'problems'], {
        cwd: elsewhere,
        env,
        encoding: 'utf8',
      });
    assert.match(
      problems().stdout,
      /b has no records\. These are from sqlite:.*program-[\da-f]{12}\.db, the only application on this machine that has any\.\n.* 1 request\b/,
    );
    const stores = join(root, 'state', 'lookback');
    const [store = ''] = readdirSync(stores).filter((name) => name.endsWith('.db'));
    copyFileSync(join(stores, store), join(stores, 'other-0123456789ab.db'));
    const { stderr } = problems();
    assert.match(stderr, /for the option --store: sqlite:\S+\.db, sqlite:\S+\.db\. See "lookback doctor"/);
    for (const name of [store, 'other-0123456789ab.db']) assert.ok(stderr.includes(name), stderr);
    for (const [writtenAt, names] of [
      [new Date('2001-01-01'), [store, 'other-0123456789ab.db']],
      [new Date('2099-01-01'), ['other-0123456789ab.db', store]],
    ] as const) {
      utimesSync(join(stores, 'other-0123456789ab.db'), writtenAt, writtenAt);
      const listed = [...records(elsewhere).stderr.matchAll(/--store \S*?([^/\\]+\.db)/g)].map(
        ([, name]) => name,
      );
      assert.deepEqual(listed, names, 'newest first');
    }
  });
});

describe('the default store if the state folder cannot be created', () => {
  const folder = join(root, 'read-only');
  mkdirSync(folder);
  writeFileSync(join(folder, 'file'), '');
  const state = join(folder, 'file', 'state');
  const reason = new RegExp(
    `in memory.*, as "${join(state, 'lookback')}" cannot be written: set PROFILER_STORE`,
  );

  it('is in memory, as reported on stderr and by lookback doctor', () => {
    writeFileSync(
      join(folder, 'app.mjs'),
      `import { createServer } from 'node:http';
       const server = createServer((request, response) => response.end('hello'));
       server.listen(0, '127.0.0.1', async () => {
         await (await fetch('http://127.0.0.1:' + server.address().port)).text();
         process.exit();
       });`,
    );
    const run = (...args: string[]): { stdout: string; stderr: string } =>
      spawnSync(process.execPath, args, {
        cwd: folder,
        env: { PATH: process.env['PATH'], XDG_STATE_HOME: state },
        encoding: 'utf8',
      });
    const { stderr } = run('--import', resolve('dist/bundle/register.js'), 'app.mjs');
    assert.equal(stderr.split('\n').filter((line) => reason.test(line)).length, 1, stderr);
    assert.match(run(resolve('dist/bundle/cli.js'), 'doctor').stdout.replaceAll(/\s+/g, ' '), reason);
  });
});

describe('the folder of a store', () => {
  it('is readable only by its user and ignored by Git, if the store has created it', async () => {
    const folder = join(root, 'made', 'var');
    const store = openStore(`sqlite:${join(folder, 'profiler.db')}`);
    await store.append({ records: [] });
    await store.close();
    assert.equal(readFileSync(join(folder, '.gitignore'), 'utf8'), '*\n');
    if (process.platform !== 'win32') assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

  it('is unchanged if it already existed', async () => {
    const folder = join(root, 'before');
    mkdirSync(folder);
    const store = openStore(`sqlite:${join(folder, 'profiler.db')}`);
    await store.append({ records: [] });
    await store.close();
    assert.equal(readdirSync(folder).includes('.gitignore'), false);
  });
});
