import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type KnownModule, LoadedModules } from '#core/patches';
import { instrumentedLibraries } from './libraries.js';
import { describeLibraries, libraryChanges, loadedLibraries, watchLibraries } from './loaded-libraries.js';

const load = createRequire(import.meta.url);

/** A package with this name that a program may load, in its own folder. */
function install(name: string, version: string, file: string): () => void {
  const folder = join(mkdtempSync(join(tmpdir(), 'loaded-')), 'node_modules', name);
  mkdirSync(join(folder, file, '..'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }));
  writeFileSync(join(folder, file), 'module.exports = class Client { query() {} };');
  return () => void load(join(folder, file));
}

describe('known libraries that a process has loaded', () => {
  const patched: string[] = [];
  const patch: KnownModule['patch'] = (prototype) =>
    'query' in prototype ? () => void patched.push('undone') : undefined;
  const found = (): readonly unknown[] => loadedLibraries();

  it('are listed with why they are not recorded, until they are no longer watched', () => {
    const modules = new LoadedModules(
      [
        { file: 'pg/lib/client.js', patch },
        { file: 'winston/lib/winston/logger.js', patch: () => undefined },
        { file: 'amqplib/lib/channel_model.js', patch },
      ],
      [...instrumentedLibraries, { name: 'mysql', versions: [] }],
    );
    const before = found();
    const unwatch = watchLibraries([modules]);
    modules.look();
    let changes = libraryChanges();
    for (const loadOne of [
      install('pg', '8.16.0', 'lib/client.js'),
      install('pg', '9.0.0', 'lib/client.js'),
      install('ioredis', '5.11.2', 'index.js'),
      install('mysql', '2.18.1', 'index.js'),
      install('winston', '3.1.0', 'lib/winston/logger.js'),
      install('amqplib', '0.10.3', 'lib/codec.js'),
    ]) {
      loadOne();
      assert.ok(libraryChanges() > changes, 'a loaded library counts as a change');
      changes = libraryChanges();
    }
    const loaded = { isLoaded: true } as const;
    const out = { ...loaded, isRecorded: false } as const;
    // Other test files in this process may have loaded the real packages.
    const installed = 'amqplib 0.10.3|ioredis 5.11.2|mysql 2.18.1|pg 8.16.0|pg 9.0.0|winston 3.1.0'.split(
      '|',
    );
    const libraries = loadedLibraries().filter(({ name, version }) =>
      installed.includes(`${name} ${version}`),
    );
    assert.deepEqual(libraries, [
      {
        name: 'amqplib',
        version: '0.10.3',
        ...out,
        records: 'messages',
        why: 'none of the patched files is loaded',
      },
      { name: 'ioredis', version: '5.11.2', ...loaded, isRecorded: true }, // this version publishes its commands
      {
        name: 'mysql',
        version: '2.18.1',
        ...out,
        records: 'queries',
        why: 'no version is recorded without a call of recordQueries or recordQuery',
      },
      { name: 'pg', version: '8.16.0', ...loaded, isRecorded: true },
      { name: 'pg', version: '9.0.0', ...out, records: 'queries', why: 'the recorded version is 8.x' },
      {
        name: 'winston',
        version: '3.1.0',
        ...out,
        records: 'log lines',
        why: 'its files lack the functions to patch',
      },
    ]);
    assert.deepEqual(
      describeLibraries(libraries).map(({ text, isProblem }) => [
        text.replace(/ recorded: .*/, ''),
        isProblem,
      ]),
      [
        ['ioredis 5.11.2, pg 8.16.0: loaded, recorded', false],
        ['amqplib 0.10.3: loaded; its messages are not', false],
        ['mysql 2.18.1: loaded; its queries are not', false],
        ['pg 9.0.0: loaded; its queries are not', true],
        ['winston 3.1.0: loaded; its log lines are not', true],
      ],
    );
    unwatch();
    assert.ok(libraryChanges() > changes, 'ending a watch counts as a change');
    assert.deepEqual(found(), before);
    modules.undo();
    assert.deepEqual(patched, ['undone']);
  });

  it('are described as possibly recorded if Node does not report loading, and as none if none was found', () => {
    assert.deepEqual(describeLibraries([{ name: 'got', version: '14.4.0', isRecorded: true }]), [
      {
        text: 'got 14.4.0: recorded if loaded; Node does not report loaded ECMAScript modules',
        isProblem: false,
      },
    ]);
    assert.match(describeLibraries([])[0]?.text ?? '', /^no known library was found/);
  });
});

describe('better-sqlite3', () => {
  const databaseClass = `
    function Database() {}
    Database.prototype.prepare = (source) => new (class Statement { get source() { return source; } all() {} })();
    Database.prototype.exec = Database.prototype.close = () => {};`;
  const ofVersion12 = {
    'lib/database.js': `${databaseClass} module.exports = Database;`,
    'lib/index.js': `module.exports = require('./database');`,
  };
  const ofVersion13 = {
    'lib/database.js': `module.exports = function createDatabase() { ${databaseClass} return Database; };`,
    'lib/index.js': `module.exports = require('./database')();`,
    'lib/linux-x64.js': `module.exports = require('./database')();`,
  };
  const layouts = [
    ['12.11.1', 'lib/index.js', ofVersion12],
    ['13.2.0', 'lib/index.js', ofVersion13],
    ['13.2.0', 'lib/linux-x64.js', ofVersion13],
  ] as const;

  for (const [version, entry, files] of layouts)
    it(`${version} is recorded when a program loads ${entry}`, () => {
      const folder = join(mkdtempSync(join(tmpdir(), 'sqlite-')), 'node_modules/better-sqlite3');
      mkdirSync(join(folder, 'lib'), { recursive: true });
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }));
      for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
      const library = instrumentedLibraries.filter(({ name }) => name === 'better-sqlite3');
      const modules = new LoadedModules(
        library.flatMap((one) => one.modules ?? []),
        library,
      );
      modules.look();
      const Database = load(join(folder, entry)) as { prototype: { prepare: unknown } }; // written above
      const { prepare } = Database.prototype;
      const found = modules.found().find((one) => one.folder === folder);
      assert.deepEqual([found?.isSupported, found?.isPatched, found?.isRefused], [true, true, false]);
      modules.undo();
      assert.notEqual(Database.prototype.prepare, prepare);
    });
});
