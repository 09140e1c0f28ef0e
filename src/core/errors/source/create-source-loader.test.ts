import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { createSourceLoader } from './create-source-loader.js';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'lookback-sources-')));
const root = join(base, 'project');
mkdirSync(join(root, '.git'), { recursive: true });
after(() => rmSync(base, { recursive: true, force: true }));
const loader = createSourceLoader({ root, folders: [] });
const put = (name: string, text: string | Buffer): string => {
  const path = join(root, name);
  writeFileSync(path, text);
  return path;
};

function noteFor(path: string): string {
  const loaded = loader.load(path);
  return typeof loaded === 'string' ? loaded : 'shown';
}

describe('files that are not shown', () => {
  const link = (name: string, target: string): string => {
    symlinkSync(target, join(root, name));
    return join(root, name);
  };
  writeFileSync(join(base, 'outside.ts'), 'secret');
  execFileSync('mkfifo', [join(root, 'pipe.ts')]);
  mkdirSync(join(root, 'folder.ts'));
  symlinkSync('loop.ts', join(root, 'loop.ts'));
  const rows: [name: string, path: string, why: RegExp][] = [
    ['missing', join(root, 'missing.ts'), /does not exist/],
    ['outside the root', join(base, 'outside.ts'), /outside/],
    ['outside, spelled with dots', `${root}/../outside.ts`, /outside/],
    ['a link that leaves the root', link('leaves.ts', join(base, 'outside.ts')), /outside/],
    ['a link to a device', link('zero.ts', '/dev/zero'), /outside/],
    ['a circle of links', join(root, 'loop.ts'), /does not exist/],
    ['a FIFO', join(root, 'pipe.ts'), /regular/],
    ['a folder', join(root, 'folder.ts'), /regular/],
    ['a hidden file', put('.env', 'A=1'), /Hidden/],
    ['code in a hidden folder', put('.git/hook.js', 'x'), /Hidden/],
    ['a key', put('server.key', 'x'), /Only source/],
    ['data', put('data.json', '{}'), /Only source/],
    ['a link with another ending', link('env.ts', join(root, '.env')), /Hidden/],
    ['binary', put('binary.ts', Buffer.from([1, 0, 2])), /not text/],
    ['over the size', put('large.ts', 'x'.repeat(2 << 20)), /too large/],
    ['a relative path', 'src/a.ts', /does not refer to a file/],
    ['a path with NUL', `${root}/a.ts\0`, /does not refer to a file/],
  ];
  for (const [name, path, why] of rows) {
    it(name, () => {
      assert.match(noteFor(path), why);
    });
  }
});

describe('files that are shown', () => {
  it('are read again after a change, and marked', async () => {
    const path = put('changing.ts', 'one\ntwo');
    const past = new Date(Date.now() - 86_400_000);
    utimesSync(path, past, past);
    assert.deepEqual(loader.load(path), { lines: ['one', 'two'], changed: false });
    writeFileSync(path, 'three');
    const isMarked = (): boolean => {
      const loaded = loader.load(path);
      return typeof loaded === 'object' && loaded.changed;
    };
    while (!isMarked()) await new Promise((done) => setTimeout(done, 20));
    assert.deepEqual(loader.load(path), { lines: ['three'], changed: true });
  });
});

describe('source maps', () => {
  const compiled = resolve('dist/src/core/errors/thrown/flatten-error.js');
  const real = createSourceLoader();

  it('map a compiled file to its TypeScript source', () => {
    const source = real.load(compiled);
    assert.ok(typeof source !== 'string');
    const line = source.lines.findIndex((text) => text.startsWith('export function flattenError')) + 1;
    const found = real.findOriginal({ path: compiled, line, column: 17 });
    assert.equal(found?.path, resolve('src/core/errors/thrown/flatten-error.ts'));
    const original = real.load(found?.path ?? '');
    assert.ok(typeof original !== 'string');
    assert.match(original.lines[(found?.line ?? 0) - 1] ?? '', /^export function flattenError/);
    assert.ok((found?.column ?? 0) > 0);
  });

  it('are applied if Node does not map itself, and never twice', () => {
    const script = `import { flattenError } from ${JSON.stringify(resolve('dist/src/core/errors.js'))};
      import { createStyleAsset } from ${JSON.stringify(resolve('dist/src/core/html.js'))};
      let thrown;
      try { createStyleAsset('</style'); } catch (error) { thrown = error; }
      const { frames } = flattenError(thrown, { libraryFolders: [] }).errors[0];
      process.stdout.write(JSON.stringify([frames[0].file, frames[0].line]));`;
    const run = (...flags: string[]): string =>
      execFileSync(process.execPath, [...flags, '--input-type=module', '-e', script], { encoding: 'utf8' });
    assert.match(run(), /^\["src\/core\/html\/assets\.ts",\d+\]$/);
    assert.equal(run(), run('--enable-source-maps'));
  });

  it('may be inline and contain the source', () => {
    const map = {
      version: 3,
      sources: ['made/in-memory.ts'],
      sourcesContent: ['a\nb\nc'],
      names: [],
      mappings: 'AAEA',
    };
    const data = Buffer.from(JSON.stringify(map)).toString('base64');
    const path = put('inline.js', `x\n//# sourceMappingURL=data:application/json;base64,${data}`);
    const found = loader.findOriginal({ path, line: 1, column: 1 });
    assert.deepEqual(found, { path: join(root, 'made/in-memory.ts'), line: 3, column: 1 });
    assert.deepEqual(loader.load(found?.path ?? ''), { lines: ['a', 'b', 'c'], changed: false });
  });

  it('work for a bundle that is too large to show, with an 8 MiB map next to it', () => {
    const map = {
      version: 3,
      sources: ['../entry.ts', '../large.ts'],
      sourcesContent: ['a\nb\nc', 'x'.repeat(8 << 20)],
      names: [],
      mappings: 'AAEA',
    };
    const path = put('bundle.cjs', `${'x'.repeat(3 << 20)}\n//# sourceMappingURL=bundle.cjs.map\n`);
    put('bundle.cjs.map', JSON.stringify(map));
    assert.deepEqual(loader.findOriginal({ path, line: 1, column: 1 })?.line, 3);
    const loaded = loader.load(path);
    assert.ok(typeof loaded === 'string');
    assert.match(loaded, /too large/);
  });

  it('may be found by file name without a reference, like hidden source maps', () => {
    const map = { version: 3, sources: ['hidden.ts'], sourcesContent: ['a'], names: [], mappings: 'AAAA' };
    const path = put('hidden map.js', 'x');
    put('hidden map.js.map', JSON.stringify(map));
    const found = loader.findOriginal({ path, line: 1, column: 1 });
    assert.deepEqual(found, { path: join(root, 'hidden.ts'), line: 1, column: 1 });
    assert.equal(loader.findOriginal({ path: put('no-map.js', 'x'), line: 1, column: 1 }), undefined);
  });

  const broken: [name: string, map: string][] = [
    ['no JSON', '{'],
    ['empty', ''],
    ['another kind', '[]'],
    ['null', 'null'],
    [
      'sections in a circle',
      '{"version":3,"sections":[{"offset":{"line":0,"column":0},"url":"self.js.map"}]}',
    ],
    ['over the size', `{"x":"${'x'.repeat(5 << 20)}"}`],
  ];
  for (const [name, map] of broken) {
    it(`${name}: the compiled location is shown`, () => {
      put('broken.js.map', map);
      const path = put(`broken-${name.replaceAll(' ', '-')}.js`, 'x\n//# sourceMappingURL=broken.js.map');
      assert.equal(createSourceLoader({ root }).findOriginal({ path, line: 1, column: 1 }), undefined);
    });
  }

  it('that point outside the root produce a note, not the file', () => {
    put(
      'escape.js.map',
      JSON.stringify({
        version: 3,
        sources: ['../outside.ts', 'file:///etc/passwd.ts'],
        names: [],
        mappings: 'AAAA',
      }),
    );
    const path = put('escape.js', 'x\n//# sourceMappingURL=escape.js.map');
    const found = loader.findOriginal({ path, line: 1, column: 1 });
    assert.match(noteFor(found?.path ?? ''), /outside/);
    const away = put('away.js', 'x\n//# sourceMappingURL=../../../../../etc/hostname.map');
    assert.equal(loader.findOriginal({ path: away, line: 1, column: 1 }), undefined);
  });
});

describe('a bounded cache', () => {
  it('is cleared when there are too many files, which are then read again', () => {
    const paths = Array.from({ length: 250 }, (_, at) => put(`many-${at}.ts`, `line of ${at}`));
    for (const path of [...paths, ...paths.slice(0, 3)])
      assert.deepEqual(loader.load(path), { lines: [`line of ${paths.indexOf(path)}`], changed: true });
    const [first = ''] = paths;
    const kept = loader.load(first);
    assert.equal(loader.load(first), kept, 'not read again while cached');
    for (const path of paths.slice(3)) loader.load(path);
    assert.notEqual(loader.load(first), kept, 'read again');
  });
});
