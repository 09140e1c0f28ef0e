import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The sources in every bundled file that a bundled file loads immediately. */
function sourcesBehind(entry: string): { files: string[]; sources: string[]; packages: string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const match of readFileSync(file, 'utf8').matchAll(
      /^(?:(?:import|export) [^;]*? from|import) ['"]([^'"]+)['"];/gm,
    )) {
      const target = match[1] ?? '';
      if (target.startsWith('.')) visit(join(dirname(file), target));
      else packages.add(target);
    }
  };
  visit(entry);
  const sources = [...files].flatMap((file) => {
    const map = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: string[] }; // the bundler's
    return map.sources.map((source) => source.replace(/^.*?src\//, 'src/'));
  });
  return { files: [...files], sources, packages: [...packages] };
}

/** Parts that only some processes ever need. */
const late = [
  /\.tsx$/,
  /^src\/core\/errors\/(?:page\/|render\/(?!render-error-terminal)|present\/render-error-markdown)/,
  /^src\/profiler\/(?:sections\/(?:completed|find-findings|findings-of|[^/]+-panel|[^/]+\/[^/]*(?:panel|findings))|view|web\/(?:reports|compare))/,
  /^src\/profiler\/web\/(?!access|create-profiler-pages|page-paths|toolbar\/(?!show))/,
  /^src\/(?:cli|framework\/(?:testing|persistence|web))\//,
];

describe('loaded at startup', () => {
  const start = sourcesBehind('dist/bundle/index.js');

  it('are no page, no renderer, no test helper and no persistence', () => {
    assert.ok(start.sources.includes('src/framework/kernel/create-kernel.ts'), 'the sources are found');
    assert.deepEqual(
      start.sources.filter((source) => late.some((pattern) => pattern.test(source))),
      [],
    );
  });

  it('are no other package, no HTTP/2 and no TLS', () => {
    assert.deepEqual(
      start.packages.filter((name) => !name.startsWith('node:') || /^node:(?:http2|https|tls)$/.test(name)),
      [],
    );
  });

  it('are few files with little text', () => {
    const bytes = start.files.reduce((sum, file) => sum + readFileSync(file).length, 0);
    assert.ok(start.files.length <= 30, `${start.files.length} files`);
    assert.ok(bytes <= 1_000_000, `${bytes} bytes`);
  });

  it('are three small files for the flag: the recorder is loaded when a server listens', () => {
    const { files, packages, sources } = sourcesBehind('dist/bundle/register.js');
    assert.ok(sources.includes('src/profiler/attach/servers/register.ts'), 'the sources are found');
    assert.ok(files.length <= 3, `${files.length} files`);
    assert.ok(files.reduce((sum, file) => sum + readFileSync(file).length, 0) <= 8000);
    assert.deepEqual(packages.toSorted(), ['node:async_hooks', 'node:diagnostics_channel', 'node:net']);
  });

  const adapters = readdirSync('src/profiler/attach').flatMap(
    (file) => /^(?!register)(\w+)\.ts$/.exec(file)?.[1] ?? [],
  );
  for (const name of adapters)
    it(`are six small files for lookback/${name}: the recorder is loaded in the first idle moment`, () => {
      const { files, sources } = sourcesBehind(`dist/bundle/${name}.js`);
      assert.ok(sources.includes(`src/profiler/attach/${name}.ts`), 'the sources are found');
      assert.ok(files.length <= 6, `${files.length} files`);
      assert.ok(files.reduce((sum, file) => sum + readFileSync(file).length, 0) <= 50_000);
    });

  it('are few files, and little text, for an attached profiler', () => {
    const { files, sources, packages } = sourcesBehind('dist/bundle/attach.js');
    assert.ok(sources.includes('src/profiler/attach/servers/watch-process.ts'), 'the sources are found');
    assert.ok(files.length <= 18, `${files.length} files`);
    const bytes = files.reduce((sum, file) => sum + readFileSync(file).length, 0);
    assert.ok(bytes <= 710_000, `${bytes} bytes`);
    // Imports of `node:http` read its `WebSocket`, for which Node 22 loads much more.
    assert.ok(!packages.includes('node:http') && !packages.includes('node:cluster'), packages.join(' '));
  });

  it('is no record conversion code in the writer thread before the first record', () => {
    const code = readFileSync('dist/bundle/write-in-thread.cjs', 'utf8');
    assert.ok(code.length <= 80_000, `${code.length} bytes`);
    const files = [...code.matchAll(/(\.then\(function\(\)\{return )?require\("(\.[^"]+)"\)/g)];
    assert.deepEqual(
      files.map(([, late, file = '']) => [late !== undefined, file.replace(/-.*/, '')]),
      [[true, './converter']],
    );
  });

  it('is none of this in production, even after the first response', () => {
    // Node 24 loads HTTP/2 and TLS together with HTTP.
    const script = `
      await import('node:http');
      const before = new Set(process.moduleLoadList);
      const { createApp } = await import(${JSON.stringify(resolve('dist/bundle/index.js').replaceAll('\\', '/'))});
      const app = createApp({ configuration: { env: 'prod', debug: false, profilerStore: 'off' } });
      app.get('/', () => ({ hello: 'world' }));
      const server = await app.listen({ port: 0 });
      const { get } = await import('node:http');
      await new Promise((end) => get(server.url, (response) => response.resume().on('end', end)));
      const loaded = process.moduleLoadList.filter((name) => !before.has(name) && /NativeModule (?:http2|tls|internal\\/http2)/.test(name));
      console.log(JSON.stringify({ loaded, packages: Object.keys((await import('node:module')).default._cache) }));
      await app.close();`;
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    assert.deepEqual(JSON.parse(run.stdout.trim().split('\n').at(-1) ?? ''), { loaded: [], packages: [] });
  });
});

describe('loaded by the command line', () => {
  /** The package's files that a command has loaded when it ends, and their size. */
  function loadedBy(...args: string[]): { files: string[]; bytes: number } {
    const folder = mkdtempSync(join(tmpdir(), 'loaded-'));
    try {
      const store = `sqlite:${join(folder, 'profiler.db')}`;
      const record = `
        const { createApp } = await import(${JSON.stringify(pathToFileURL('dist/bundle/index.js').href)});
        const app = createApp({ configuration: { profilerStore: ${JSON.stringify(store)} } });
        await app.fetch('/');
        await app.close();`;
      const made = spawnSync(process.execPath, ['--input-type=module', '-e', record], { encoding: 'utf8' });
      assert.equal(made.status, 0, made.stderr);
      const env = { ...process.env, PROFILER_STORE: store, NODE_V8_COVERAGE: join(folder, 'loaded') };
      const run = spawnSync(process.execPath, ['dist/bundle/cli.js', ...args], { encoding: 'utf8', env });
      assert.equal(run.status, 0, run.stderr);
      const urls = readdirSync(join(folder, 'loaded')).flatMap((name) => {
        const { result } = JSON.parse(readFileSync(join(folder, 'loaded', name), 'utf8')) as {
          result: { url: string }[];
        }; // the format that Node writes
        return result.map(({ url }) => url);
      });
      const files = [...new Set(urls)]
        .filter((url) => /^file:.*\/dist\/bundle\//.test(url))
        .map((url) => fileURLToPath(url));
      return { files, bytes: files.reduce((sum, file) => sum + readFileSync(file).length, 0) };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  for (const { args, files, bytes } of [
    { args: ['--help'], files: 10, bytes: 90_000 },
    { args: ['records', '--help'], files: 30, bytes: 620_000 },
    { args: ['records'], files: 30, bytes: 620_000 },
    { args: ['show', 'latest'], files: 40, bytes: 960_000 },
  ])
    it(`by "lookback ${args.join(' ')}": few files with little text`, () => {
      const loaded = loadedBy(...args);
      assert.ok(loaded.files.length > 0 && loaded.files.length <= files, loaded.files.join('\n'));
      assert.ok(loaded.bytes <= bytes, `${loaded.bytes} bytes`);
    });
});
