import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { EntitySchema, MikroORM, type Opt } from '@mikro-orm/libsql';
import { defineBehaviours, forkFor, showIn, withBehaviours } from 'lookback/persistence';
import { createNewerProject, newerVersion, type NewerProject } from '../persistence/install-mikro-orm.js';
import { blocksOf } from './write-programs.js';

/** Uses the page's program, and the types that applications use. */
const typedUses = `
import type { MikroORM } from '@mikro-orm/libsql';
import { defineBehaviours, showIn, translatedOrder, translatedWhere, versionsOf } from 'lookback/persistence';
import type { Persistence } from 'lookback/persistence';
import { ArticleSchema, openJournal } from './journal.js';

class Page { id!: number; title!: string }
export const declare = (): void => {
  defineBehaviours(Page, { translatable: { fields: ['title'] } });
  // @ts-expect-error
  defineBehaviours(Page, { translatable: { fields: ['titel'] } });
};
const { app, persistence } = await openJournal(process.argv[2]);
const typed: Persistence<MikroORM> = persistence;
const [{ timeout } = { timeout: 0 }] = await typed.orm.em.getConnection().execute<{ timeout: number }[]>('pragma busy_timeout');
const titleAt = async (path: string): Promise<string | number> => {
  const response = await app.fetch(path);
  return response.ok ? (await response.json() as { title: string }).title : response.status;
};
const served = [await titleAt('/en/articles/1'), await titleAt('/fr/articles/1'), await titleAt('/fr/articles/9')];
const em = persistence.forActor({ locale: () => 'fr', user: () => ({ identifier: 'newer' }) });
em.getKysely();
const [article] = await em.find(ArticleSchema, translatedWhere(em, ArticleSchema, { title: { $like: 'Livr%' } }), {
  orderBy: translatedOrder(em, ArticleSchema, { title: 'asc' }),
});
if (article === undefined) throw new Error('not found by its translation');
// @ts-expect-error
article.titel;
article.title = 'Livres de 7';
await em.flush();
await showIn(em, article, 'fr');
const versions = await versionsOf(em, article);
console.log(JSON.stringify({
  timeout, served, written: article.title,
  versions: versions.map(({ version, locale, user }) => [version, locale, user]),
}));
await app.close();
`;

/** Writes a French title with MikroORM 6; returns the previous titles, in English and French. */
async function editWithOlder(dbName: string, title: string): Promise<readonly string[]> {
  const schema = new EntitySchema<{ id: number; title: string; updatedAt: Date & Opt }>({
    name: 'Article',
    properties: {
      id: { type: 'number', primary: true },
      title: { type: 'string' },
      updatedAt: { type: 'Date' },
    },
  });
  defineBehaviours(schema, {
    translatable: { fields: ['title'] },
    timestampable: { updatedAt: 'update' },
    loggable: true,
  });
  const orm = await MikroORM.init(withBehaviours({ dbName, entities: [schema] }));
  await orm.schema.execute(await orm.schema.getUpdateSchemaSQL());
  const em = forkFor(orm.em, { user: () => ({ identifier: 'older' }) });
  const article = (await em.findOne(schema, { id: 1 })) ?? em.create(schema, { id: 1, title: 'Books' });
  await em.flush();
  const titles = [article.title];
  await showIn(em, article, 'fr');
  titles.push(article.title);
  article.title = title;
  await em.flush();
  await orm.close();
  return titles;
}

describe(
  `pages with MikroORM ${newerVersion}`,
  { skip: process.env['npm_config_offline'] === 'true' },
  () => {
    let project: NewerProject;
    before(() => {
      project = createNewerProject();
    });
    after(() => project.remove());

    it('runs the programs on other pages: paginated lists and search, tenants, migrations of two databases, users', () => {
      const folder = join(project.folder, 'docs');
      cpSync('docs', folder, { recursive: true, filter: (path) => !path.includes('images') });
      const page = join(folder, 'guides/pagination.md');
      const text = readFileSync(page, 'utf8');
      assert.ok(text.includes('findByCursor(BookSchema, {}, {'));
      writeFileSync(page, text.replace('findByCursor(BookSchema, {}, {', 'findByCursor(BookSchema, {')); // as the page about version 7 says
      const pattern = '--test-name-pattern=pagination|tenants|two-databases|security.md|^compile$';
      const tests = ['recipes', 'programs'].map((name) => `dist/test/docs/${name}.test.js`);
      const { status, output } = project.run(['--test', '--test-reporter=tap', pattern, ...tests]);
      assert.equal(status, 0, output.slice(-20_000));
      assert.match(output, /^# pass 6$/m);
    });

    it("docs/guides/mikro-orm-7.md: its program compiles with version 7's types, and shares version 6's database", async () => {
      for (const { file = '', text } of blocksOf('docs/guides/mikro-orm-7.md'))
        writeFileSync(join(project.folder, file), text);
      writeFileSync(join(project.folder, 'uses.ts'), typedUses);
      const tsc = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2022'];
      const flags = [...tsc, '--skipLibCheck', '--types', 'node', '--pretty', 'false'];
      const compiled = project.run(['node_modules/typescript/bin/tsc', ...flags, 'journal.ts', 'uses.ts']);
      assert.equal(compiled.status, 0, compiled.output);

      const file = join(project.folder, 'journal.db');
      assert.deepEqual(await editWithOlder(file, 'Livres'), ['Books', 'Books']);
      const { status, stdout, output } = project.run(['uses.js', file], { PROFILER_STORE: 'off' });
      assert.equal(status, 0, output);
      assert.deepEqual(JSON.parse(stdout), {
        timeout: 5000,
        served: ['Books', 'Livres', 404],
        written: 'Livres de 7',
        versions: [
          [3, 'fr', 'newer'],
          [2, 'fr', 'older'],
          [1, 'en', 'older'],
        ],
      });
      assert.deepEqual(await editWithOlder(file, 'Livres de 6'), ['Books', 'Livres de 7']);
    });
  },
);
