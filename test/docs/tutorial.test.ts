import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type PackedPackage, unpackPackage } from '../begin/packed-package.js';
import { blocksOf } from './write-programs.js';

/** Types the tutorial as printed into a folder created by `lookback new`. */
describe('docs/start/tutorial.md, typed as printed', () => {
  let packed: PackedPackage;
  let folder = '';
  before(() => {
    packed = unpackPackage();
    folder = join(packed.folder, 'my-api');
  });
  after(() => packed.remove());

  it('file by file, it compiles and its tests pass', () => {
    const created = packed.run(packed.folder, [packed.cli, 'new', 'my-api']);
    assert.equal(created.status, 0, created.output);
    const blocks = blocksOf('docs/start/tutorial.md');
    const files = blocks.filter(({ file }) => file !== undefined);
    assert.deepEqual(
      files.map(({ file }) => file),
      ['src/tasks.ts', 'test/tasks.test.ts'],
    );
    for (const { file = '', text } of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    const [imported = '', called = ''] = blocks
      .filter(({ file }) => file === undefined)
      .map(({ text }) => text);
    const app = join(folder, 'src/app.ts');
    const scaffolded = readFileSync(app, 'utf8');
    writeFileSync(app, imported + scaffolded.replace(/^.*addNotes\(app.*\n/m, (line) => line + called));
    const tsc = packed.run(folder, [resolve('node_modules/typescript/bin/tsc')]);
    assert.equal(tsc.status, 0, tsc.output);
    assert.match(readFileSync(join(folder, 'dist/src/app.js'), 'utf8'), /addTasks\(app\)/);
    const tests = readdirSync(join(folder, 'dist/test')).filter((name) => name.endsWith('.test.js'));
    assert.equal(tests.length, 2);
    const run = packed.run(folder, ['--test', ...tests.map((name) => `dist/test/${name}`)]);
    assert.equal(run.status, 0, run.output);
    assert.match(run.output, /^(?:#|ℹ) pass [5-9]/m);
  });
});
