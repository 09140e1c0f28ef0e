import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { statementsWithSites } from '../instrumentation/statements-with-sites.js';
import { createNewerProject, newerVersion, type NewerProject } from './install-mikro-orm.js';

/** The persistence tests that need no other installation, and that do not read the package's files. */
const others = new Set(['mikro-orm-7.test.js', 'without-mikro-orm.test.js']);
const files = readdirSync('dist/test/persistence')
  .filter((name) => name.endsWith('.test.js') && !others.has(name))
  .map((name) => `dist/test/persistence/${name}`);
const unitTests = readdirSync('dist/src/framework/persistence', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.js'))
  .map((name) => `dist/src/framework/persistence/${name.replaceAll('\\', '/')}`);

describe(`MikroORM ${newerVersion}`, { skip: process.env['npm_config_offline'] === 'true' }, () => {
  let project: NewerProject;
  before(() => {
    project = createNewerProject();
  });
  after(() => project.remove());

  it('passes every persistence test that 6.6 passes', () => {
    assert.ok(files.length >= 14 && unitTests.length >= 5, String([...files, ...unitTests]));
    // In one process, because loading the ORM and the framework takes longer than most of these files.
    const imports = [...files, ...unitTests].map((file) => `import './${file}';\n`);
    writeFileSync(join(project.folder, 'every-test.mjs'), imports.join(''));
    const { status, output } = project.run(['--test-reporter=tap', 'every-test.mjs']);
    const failures = output.replaceAll(/^ *(?:ok|# Subtest).*\n(?: *---\n[\s\S]*?\n *\.\.\.\n)?/gm, '');
    assert.equal(status, 0, failures.slice(0, 20_000));
    const [, passed = '0'] = /^# pass (\d+)$/m.exec(output) ?? [];
    assert.ok(Number(passed) >= 100, output.slice(-500));
  });

  it('is loaded once under tsx, whose require would return a copy with its own entity counter', () => {
    const script = `
      import { EntitySchema, MikroORM } from '@mikro-orm/libsql';
      import { defineBehaviours, withBehaviours } from '#framework/persistence';
      const Author = new EntitySchema({ name: 'Author', properties: { id: { type: 'number', primary: true } } });
      const Book = new EntitySchema({ name: 'Book', properties: {
        id: { type: 'number', primary: true }, title: { type: 'string' },
        author: { kind: 'm:1', entity: () => Author },
      } });
      defineBehaviours(Book, { loggable: true });
      const orm = await MikroORM.init(withBehaviours({ dbName: ':memory:', entities: [Author, Book] }));
      console.log([...(await orm.schema.getCreateSchemaSQL()).matchAll(/create table .(\\w+)/g)].map(([, name]) => name).sort().join());
      await orm.close();`;
    writeFileSync(join(project.folder, 'under-tsx.mjs'), script);
    const { status, stdout, output } = project.run(['--import', 'tsx', 'under-tsx.mjs']);
    assert.equal(status, 0, output);
    assert.equal(stdout.trim(), 'author,book,ext_versions');
  });

  it('has the call site of every statement in a flush in the records of an application that uses it directly', () => {
    const words = ['--import', './dist/bundle/register.js', 'dist/test/instrumentation/ask-mikro-orm.js'];
    const { status, stdout, output } = project.run(words, { PROFILER_STORE: 'memory:' });
    assert.equal(status, 0, output);
    assert.deepEqual(stdout.trimEnd().split('\n'), statementsWithSites, output);
  });
});
