import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../free-port.js';
import { installOnce } from '../install-once.js';

const packages = [
  'ts-node@10',
  'typescript@5',
  '@swc-node/register@1',
  '@swc/core@1',
  'esbuild-register@3',
  'esbuild@0',
];
const register = 'lookback/register';

/** A CommonJS program in TypeScript that sends itself requests, and prints its records. */
const program = `
import http = require('http');
interface Answer { readonly text: string }
const server = http.createServer((_request: unknown, response: { end(text: string): void }) => response.end('hello'));
server.listen(Number(process.env.PORT), '127.0.0.1', async () => {
  const ask = async (path: string): Promise<Answer> => ({
    text: await (await fetch('http://127.0.0.1:' + process.env.PORT + path)).text(),
  });
  await ask('/typed');
  console.log((await ask('/_profiler/search.json')).text);
  process.exit();
});`;

describe('a CommonJS program in TypeScript', () => {
  let folder: string;
  let problem = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'loaders-'));
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    writeFileSync(
      join(folder, 'tsconfig.json'),
      '{ "compilerOptions": { "module": "commonjs", "target": "es2022", "types": [] }, "ts-node": { "transpileOnly": true } }',
    );
    writeFileSync(join(folder, 'program.ts'), program);
    const modules = join(folder, 'node_modules');
    mkdirSync(modules);
    try {
      const installed = installOnce(packages);
      for (const name of readdirSync(installed))
        if (!name.startsWith('.')) symlinkSync(join(installed, name), join(modules, name), 'junction');
    } catch (error) {
      problem = String(error).slice(0, 200);
    }
    // Loaders do not compile packages.
    for (const part of ['package.json', 'dist/bundle'])
      cpSync(part, join(modules, 'lookback', part), { recursive: true });
  });
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  for (const loader of ['ts-node/register', '@swc-node/register', 'esbuild-register'])
    for (const flags of [
      ['-r', loader, '-r', register],
      ['-r', register, '-r', loader],
    ])
      it(`is recorded with ${flags.join(' ')}`, async (t) => {
        if (problem !== '') return t.skip(problem);
        const { stdout, stderr } = spawnSync(process.execPath, [...flags, 'program.ts'], {
          cwd: folder,
          env: { PATH: process.env['PATH'], PORT: String(await freePort()), PROFILER_STORE: 'memory:' },
          encoding: 'utf8',
        });
        assert.match(stdout, /"url":"[^"]*\/typed"/, stderr);
        const lines = stderr
          .split('\n')
          .filter((line) => line !== '' && !line.includes('PROFILER_STORE_DRIVER'));
        assert.equal(lines.length, 1, stderr);
        return undefined;
      });

  it('reports once that this Node has no SQLite, how to get it, and that nothing is recorded until then', async (t) => {
    if (problem !== '') return t.skip(problem);
    if (process.getBuiltinModule('node:sqlite') !== undefined) return t.skip('this Node has SQLite');
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['-r', 'esbuild-register', '-r', register, 'program.ts'],
      {
        cwd: folder,
        env: { PATH: process.env['PATH'], PORT: String(await freePort()), PROFILER_STORE: 'sqlite:kept.db' },
        encoding: 'utf8',
      },
    );
    assert.match(stdout, /"rows":\[\]/, stderr);
    assert.match(stderr, /npm install @photostructure\/sqlite.*nothing is recorded/);
    assert.equal(stderr.split('PROFILER_STORE_DRIVER').length, 2, stderr);
    return undefined;
  });
});
