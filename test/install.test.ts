import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { homeEnvironment } from './begin/packed-package.js';
import { packOnce } from './pack-once.js';

const root = mkdtempSync(join(tmpdir(), 'lookback-installed-'));
let tarball = '';

/** The dependencies passed to npm: `{ "koa": "2" }`. */
type Wanted = Readonly<Record<string, string>>;

/** The oldest major versions of packages that lookback supports or coexists with, including majors without an adapter. */
const oldest: Wanted = {
  express: '4',
  fastify: '4',
  koa: '2',
  hono: '3',
  h3: '1',
  '@nestjs/common': '10',
  '@nestjs/core': '10',
  rxjs: '7',
  'reflect-metadata': '0.1',
  '@mikro-orm/core': '5',
  '@node-rs/argon2': '1',
  ioredis: '4',
  'openid-client': '5',
  pg: '7',
  tsx: '3',
  ws: '7',
  preact: '8',
};
const newest: Wanted = {
  ...Object.fromEntries(Object.keys(oldest).map((name) => [name, 'latest'])),
  '@modelcontextprotocol/server': 'latest',
  '@photostructure/sqlite': 'latest',
  react: 'latest',
};

/** Runs npm in a new project that depends on these packages and the packed one. */
async function install(name: string, wanted: Wanted, ...flags: readonly string[]): Promise<string> {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  const dependencies = { ...wanted, lookback: `file:${tarball}` };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', dependencies }));
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...flags];
  const shell = process.platform === 'win32';
  await promisify(execFile)('npm', words, { cwd: folder, env: homeEnvironment(), shell, timeout: 120_000 });
  return folder;
}

/** The locations of a package in a lock file, anywhere in the tree. */
function lockedLocations(folder: string, name: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: object;
  }; // the format that npm writes
  return Object.keys(packages).filter((path) => path === name || path.endsWith(`node_modules/${name}`));
}

/** The version directly in the project. */
function lockedVersion(folder: string, name: string): string {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { readonly version: string }>>;
  }; // the format that npm writes
  return packages[`node_modules/${name}`]?.version ?? 'none';
}

/** Another package of the project, with its own copy of lookback. */
function addPlugin(folder: string): void {
  const plugin = join(folder, 'node_modules/plugin');
  cpSync(join(folder, 'node_modules/lookback'), join(plugin, 'node_modules/lookback'), { recursive: true });
  const manifest = { name: 'plugin', version: '1.0.0', type: 'module', exports: './index.js' };
  writeFileSync(join(plugin, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(plugin, 'index.js'), "export { createApp } from 'lookback';\n");
}

const program = `
import { createApp as createCopied } from 'plugin';
import { createApp } from 'lookback';
import { createServer } from 'node:http';
import express from 'express';
import { lookback } from 'lookback/express';
import { h } from 'preact';
import { renderDocument } from 'lookback/html';
import { HttpResponse } from 'lookback';

const settings = { configuration: { env: 'dev', debug: true, profilerStore: 'memory:' } };
const [app, copied] = [createApp(settings), createCopied(settings)];
for (const one of [app, copied]) one.get('/broken', () => { throw new Error('broken on purpose'); });
app.get('/foreign', () => HttpResponse.html(renderDocument(h('p', null, 'x'), { lang: 'en', title: 'x' })));
const servers = [await app.listen({ port: 0 }), await copied.listen({ port: 0 })];
const other = express();
other.use(lookback({ store: 'memory:', errorPage: true }));
other.get('/broken', () => { throw new Error('broken on purpose'); });
const second = createServer(other).listen(0, '127.0.0.1', () => {
  const urls = [...servers.map(({ url }) => url), 'http://127.0.0.1:' + second.address().port];
  console.log(JSON.stringify(urls.map((url) => url.replace(/\\/$/, ''))));
});
`;

describe('npm install of the package', { skip: process.env['npm_config_offline'] === 'true' }, () => {
  before(() => {
    tarball = join(root, 'lookback.tgz');
    cpSync(packOnce().path, tarball);
  });
  after(() => rmSync(root, { recursive: true, maxRetries: 5 }));

  it('accepts the oldest and the newest versions of the packages that it works with, and changes none', async () => {
    const both = [
      ['oldest', oldest],
      ['newest', newest],
    ] as const;
    await Promise.all(
      both.map(async ([name, wanted]) => {
        const folder = await install(name, wanted, '--package-lock-only');
        for (const [one, version] of Object.entries({ ...wanted, lookback: 'latest' })) {
          assert.ok(lockedLocations(folder, one).includes(`node_modules/${one}`), `${name}: ${one}`);
          if (version === 'latest') continue;
          const locked = lockedVersion(folder, one);
          assert.ok(locked.startsWith(`${version}.`), `${one} ${locked} instead of ${version}`);
        }
        // Nothing is nested below it: everything it needs is bundled.
        assert.deepEqual(
          lockedLocations(folder, 'lookback').flatMap((location) =>
            lockedLocations(folder, 'preact').filter((path) => path.startsWith(`${location}/`)),
          ),
          [],
        );
      }),
    );
  });

  it('pages render next to Preact 11, React and another copy of lookback, and a Preact 11 element is refused', async () => {
    const folder = await install('beside', { preact: '11', react: 'latest', express: '5' });
    addPlugin(folder);
    writeFileSync(join(folder, 'serve.mjs'), program);
    const child = spawn(process.execPath, ['serve.mjs'], {
      cwd: folder,
      env: homeEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    try {
      const urls = await firstLine(child);
      assert.equal(urls.length, 3);
      for (const url of urls) {
        const broken = await page(`${url}/broken`);
        assert.equal(broken.status, 500);
        assert.match(broken.text, /<h1[^>]*>[\s\S]*broken on purpose/);
        const list = await page(`${url}/_profiler/`);
        assert.equal(list.status, 200);
        assert.match(list.text, /<h1[\s\S]*\/broken/);
        const record = await page(`${url}/_profiler/${broken.token}`);
        assert.match(record.text, /<h1[\s\S]*broken on purpose/);
      }
      const foreign = await page(`${urls[0] ?? ''}/foreign`);
      assert.equal(foreign.status, 500);
      assert.match(foreign.text, /HTML_FOREIGN_ELEMENT/);
    } finally {
      const ended = new Promise((end) => child.once('exit', end));
      if (child.kill('SIGKILL')) await ended; // false if it has exited
    }
  });
});

async function page(url: string): Promise<{ status: number; text: string; token: string }> {
  const response = await fetch(url, { headers: { accept: 'text/html' } });
  const text = await response.text();
  return { status: response.status, text, token: response.headers.get('x-debug-token') ?? '' };
}

function firstLine(child: ReturnType<typeof spawn>): Promise<string[]> {
  return new Promise((found, failed) => {
    let errors = '';
    child.stderr?.on('data', (text: Buffer) => (errors += String(text)));
    child.once('exit', (code) => failed(new Error(`The program ended with ${code}.\n${errors}`)));
    child.stdout?.on('data', (text: Buffer) => {
      const line = /^\[.*\]$/m.exec(String(text))?.[0];
      if (line !== undefined) found(JSON.parse(line) as string[]); // the format that it writes
    });
  });
}
