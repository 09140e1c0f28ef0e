import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { describeVersions, LoadedModules, type Undo } from '#core/patches';

describe('modules that a program may import', () => {
  /** A program with its own package.json, and packages that report when they are imported. */
  function createProgram(description: object | undefined): { program: string; files: string[] } {
    const folder = mkdtempSync(join(tmpdir(), 'modules-'));
    const files = ['one', '@scope/two'].map((name) => `${name}/lib/index.mjs`);
    for (const file of files) {
      mkdirSync(join(folder, 'node_modules', dirname(file)), { recursive: true });
      writeFileSync(join(folder, 'node_modules', file), 'export class Tool { work() { return 1; } }');
    }
    mkdirSync(join(folder, 'src'));
    // Names no packages, so the one above it counts.
    writeFileSync(join(folder, 'src/package.json'), '{"type":"module"}');
    if (description !== undefined) writeFileSync(join(folder, 'package.json'), JSON.stringify(description));
    writeFileSync(join(folder, 'src/app.mjs'), '');
    return { program: join(folder, 'src/app.mjs'), files };
  }

  it('are not those of another copy of the package further up, if the own copy lacks the file', async () => {
    const { program, files } = createProgram({ dependencies: { one: '1' } });
    const own = join(dirname(program), 'node_modules/one');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'package.json'), '{"name":"one","version":"1.0.0"}');
    let patched = 0;
    const modules = new LoadedModules(
      files.map((file) => ({ file, name: 'Tool', patch: () => void patched++ })),
    );
    await modules.import(program);
    assert.equal(patched, 0);
  });

  for (const [what, description, expected] of [
    [
      'those that it names, and no others',
      { dependencies: { '@scope/two': '1' } },
      ['@scope/two/lib/index.mjs'],
    ],
    ['also for development alone', { devDependencies: { one: '1' } }, ['one/lib/index.mjs']],
    ['all where it names none', { name: 'app' }, ['one/lib/index.mjs', '@scope/two/lib/index.mjs']],
    ['all where there is no description', undefined, ['one/lib/index.mjs', '@scope/two/lib/index.mjs']],
  ] as const)
    it(`are imported and patched: ${what}`, async () => {
      const { program, files } = createProgram(description);
      const patched: string[] = [];
      let undone = 0;
      const modules = new LoadedModules(
        files.map((file) => ({
          file,
          name: 'Tool',
          patch: (prototype) => {
            assert.ok('work' in prototype);
            patched.push(file);
            return () => void undone++;
          },
        })),
      );
      await modules.import(program);
      assert.deepEqual(patched.toSorted(), [...expected].toSorted());
      modules.undo();
      assert.equal(undone, expected.length);
    });

  it('are found if the program has their package under another name', async () => {
    const { program } = createProgram({
      dependencies: { one: 'npm:real@^1', '@scope/two': 'npm:@other/real' },
    });
    const patched: string[] = [];
    const files = ['real/lib/index.mjs', '@other/real/lib/index.mjs', 'one/lib/index.mjs'];
    const patch = (file: string) => () => (): void => void patched.push(file);
    const modules = new LoadedModules(files.map((file) => ({ file, name: 'Tool', patch: patch(file) })));
    await modules.import(program);
    modules.undo();
    assert.deepEqual(patched.toSorted(), ['@other/real/lib/index.mjs', 'real/lib/index.mjs']);
  });

  it('that do not exist, fail or are unused are skipped', async () => {
    const { program } = createProgram({ dependencies: { one: '1', '@scope/two': '1', three: '1' } });
    const refused = (): never => assert.fail('was patched');
    const modules = new LoadedModules([
      { file: 'one/lib/nowhere.mjs', patch: refused },
      { file: 'three/index.js', patch: refused },
      { file: '@scope/two/lib/index.mjs', name: 'Tool', isUsed: () => false, patch: refused },
    ]);
    await modules.import(program);
    await modules.import('/nowhere/at/all.js');
  });

  it('built into Node are patched once they are loaded', () => {
    const patched: object[] = [];
    const modules = new LoadedModules(
      [
        ['node:events', 'EventEmitter'],
        ['node:nothing', 'Nothing'],
      ].map(([file = '', name = '']) => ({
        file,
        name,
        patch: (prototype) => {
          patched.push(prototype);
          return () => void patched.pop();
        },
      })),
    );
    modules.look();
    assert.deepEqual(patched, [EventEmitter.prototype]);
    modules.undo();
    assert.deepEqual(patched, []);
  });

  it('of CommonJS are patched once each: at the first scan, or when they are loaded after it', () => {
    const { program } = createProgram({});
    const folder = join(dirname(program), '../node_modules/plain');
    mkdirSync(folder);
    const file = join(folder, 'tool.js');
    writeFileSync(file, 'module.exports = class Tool {}; module.exports.prototype.isReady = true;');
    const patched: object[] = [];
    const patch = (prototype: object): Undo => {
      assert.ok('isReady' in prototype, 'patched only once the module is complete');
      patched.push(prototype);
      return () => void patched.pop();
    };
    const modules = new LoadedModules([{ file: 'plain/tool.js', patch }]);
    const counts: number[] = [];
    const look = (): number => (modules.look(), counts.push(patched.length));
    look();
    look();
    const load = createRequire(program);
    const Tool = load(file) as { prototype: object }; // the class above
    assert.deepEqual(patched, [Tool.prototype], 'without another look');
    for (let at = 3; at <= 9; at++) look();
    assert.deepEqual(counts, [0, 0, 1, 1, 1, 1, 1, 1, 1]);
    assert.deepEqual(patched, [Tool.prototype]);
    modules.undo();
    assert.deepEqual(patched, []);
    modules.look();
    assert.deepEqual(patched, [Tool.prototype], 'a new watch finds modules that were already loaded');
    modules.undo();
    Reflect.deleteProperty(createRequire(program).cache, file);
    load(file);
    assert.deepEqual(patched, [], 'no more patches after undo');
  });

  it('of an unsupported version are not patched, and reported once for each copy, whichever of its files is loaded', async () => {
    const { program } = createProgram({ dependencies: { one: '1' } });
    const modules = join(dirname(program), '../node_modules');
    const add = (folder: string, version: string): string => {
      mkdirSync(join(modules, folder), { recursive: true });
      writeFileSync(join(modules, folder, 'package.json'), JSON.stringify({ version }));
      for (const name of ['tool', 'other'])
        writeFileSync(join(modules, folder, `${name}.js`), 'module.exports = class Tool {};');
      return join(modules, folder);
    };
    const copies = [
      add('ranged', '9.0.0'),
      add('host/node_modules/ranged', '8.11.3'),
      add('@scope/old', '3.19.9'),
    ];
    const [patched, skipped]: [string[], string[]] = [[], []];
    const file = 'ranged/tool.js';
    const loaded = new LoadedModules(
      [{ file, patch: () => void patched.push(file) }],
      [
        { name: 'ranged', versions: ['7', '8.11'] },
        { name: '@scope/old', versions: ['3.20'] },
      ],
      ({ name, version, versions }) => skipped.push(`${name} ${version}: ${describeVersions(versions)}`),
    );
    loaded.look();
    const load = createRequire(program);
    for (const copy of copies) for (const name of ['tool', 'other']) load(join(copy, `${name}.js`));
    assert.deepEqual(patched, [file]);
    assert.deepEqual(skipped, [
      'ranged 9.0.0: 7.x, 8.11 and later 8.x',
      '@scope/old 3.19.9: 3.20 and later 3.x',
    ]);
    loaded.undo();
  });

  it('split from a package are patched only if a copy of that package which uses them is supported', () => {
    for (const [versions, isPatched] of [
      [['2.0.0'], true],
      [['3.0.0'], false],
      [['2.1.0', '3.0.0'], true], // one copy each, which share the file
      [[], true], // used on its own
    ] as const) {
      const { program } = createProgram({});
      const own = join(dirname(program), '../node_modules');
      const add = (folder: string, version: string, text: string): string => {
        mkdirSync(join(own, folder), { recursive: true });
        writeFileSync(join(own, folder, 'package.json'), JSON.stringify({ version }));
        writeFileSync(join(own, folder, 'main.js'), text);
        return join(own, folder, 'main.js');
      };
      add('split', '1.0.0', 'module.exports = class Tool {};');
      const hosts = versions.map((version, at) =>
        add(at === 0 ? 'host' : 'outer/node_modules/host', version, `require('split/main.js');`),
      );
      const patched: object[] = [];
      const skipped: string[] = [];
      const loaded = new LoadedModules(
        [{ file: 'split/main.js', partOf: 'host', patch: (prototype) => () => void patched.push(prototype) }],
        [
          { name: 'host', versions: ['2'] },
          { name: 'split', versions: ['1'] },
        ],
        ({ name, version, isLoaded }) => skipped.push(`${name} ${version} ${isLoaded}`),
      );
      const load = createRequire(program);
      // The file is complete before its host is, which the cache lists from the beginning of its load on.
      loaded.look();
      for (const host of hosts) load(host);
      if (hosts.length === 0) load(join(own, 'split/main.js'));
      const found = loaded
        .found()
        .map(({ name, version, ...copy }) => [`${name} ${version}`, copy.isPatched]);
      const isOut = versions.length > 0 && !isPatched;
      assert.deepEqual(
        new Map(found as [string, boolean][]), // pairs, as made above
        new Map([
          ...versions.map((version) => [`host ${version}`, version.startsWith('2')] as const),
          ...(isOut ? [] : [['split 1.0.0', true] as const]),
        ]),
      );
      assert.deepEqual(skipped, versions.some((one) => one === '3.0.0') ? ['host 3.0.0 true'] : []);
      assert.equal(loaded.isUnsupported('host'), isOut);
      assert.equal(loaded.has('host'), versions.length > 0);
      assert.deepEqual([loaded.has('split'), loaded.has('other')], [!isOut, false]);
      loaded.undo();
      assert.equal(patched.length, isPatched ? 1 : 0);
      assert.ok(loaded.found().every((copy) => !copy.isPatched));
      for (const file of [...hosts, join(own, 'split/main.js')]) Reflect.deleteProperty(load.cache, file);
    }
  });

  it('installed under another name are checked, and reported by their own name', () => {
    const { program } = createProgram({ dependencies: { web: 'npm:tool@9' } });
    const folder = join(dirname(program), '../node_modules/web');
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'tool', version: '9.0.0' }));
    writeFileSync(join(folder, 'index.js'), 'module.exports = class Tool {};');
    const skipped: string[] = [];
    const loaded = new LoadedModules(
      [{ file: 'tool/index.js', patch: () => assert.fail('was patched') }],
      [{ name: 'tool', versions: ['8'] }],
      ({ name, version }) => skipped.push(`${name} ${version}`),
    );
    const [, former] = process.argv;
    process.argv[1] = program;
    try {
      loaded.look();
      createRequire(program)(folder);
      assert.deepEqual(skipped, ['tool 9.0.0']);
    } finally {
      loaded.undo();
      process.argv[1] = former ?? '';
    }
  });

  it('that a program depends on, but may not have loaded, are listed as not loaded', async () => {
    const { program } = createProgram({ dependencies: { one: '1' } });
    const folder = join(dirname(program), '../node_modules/one');
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '1.2.3', type: 'module' }));
    const undo = (): void => undefined;
    const modules = new LoadedModules(
      [{ file: 'one/lib/index.mjs', name: 'Tool', patch: () => undo }],
      [{ name: 'one', versions: ['1'] }],
    );
    await modules.import(program);
    const state = { isLoaded: false, isSupported: true, isPatched: true, isRefused: false };
    assert.deepEqual(modules.found(), [{ name: 'one', version: '1.2.3', folder, ...state }]);
    modules.undo();
  });
});
