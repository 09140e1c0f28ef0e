import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { EntitySchema } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/libsql';
import { Migration, Migrator } from '@mikro-orm/migrations';
import { Seeder, SeedManager } from '@mikro-orm/seeder';
import { runCommand } from '#command';
import { createApp, latePersistence } from '#framework';
import type { App } from '#framework';
import { createPersistence, withBehaviours } from '#persistence';
import type { Persistence } from '#persistence';

interface Pot {
  id: number;
  name: string;
}
const PotSchema = new EntitySchema<Pot>({
  name: 'Pot',
  properties: { id: { type: 'number', primary: true }, name: { type: 'string' } },
});

class CreatePots extends Migration {
  override up(): void {
    this.addSql('create table `pot` (`id` integer primary key, `name` text not null)');
  }
  override down(): void {
    this.addSql('drop table `pot`');
  }
}
class AddPot extends Migration {
  override up(): void {
    this.addSql("insert into `pot` values (1, 'first')");
  }
  override down(): void {
    this.addSql('delete from `pot` where `id` = 1');
  }
}
class PotSeeder extends Seeder {
  async run(em: EntityManager): Promise<void> {
    em.create(PotSchema, { id: 2, name: 'seeded' });
  }
}

const folder = mkdtempSync(join(tmpdir(), 'lookback-commands-'));

async function open(
  extensions: (typeof Migrator | typeof SeedManager)[] = [Migrator, SeedManager],
  classes: (typeof CreatePots)[] = [CreatePots, AddPot],
  seeders: (typeof PotSeeder)[] = [PotSeeder],
): Promise<Persistence<MikroORM>> {
  const list = classes.map((one) => ({ name: one.name, class: one }));
  const migrations = { migrationsList: list, path: folder, snapshot: false, silent: true };
  const orm = await MikroORM.init(
    withBehaviours(
      { dbName: ':memory:', entities: [PotSchema], extensions, migrations },
      { defaultLocale: 'en' },
    ),
  );
  return createPersistence({ orm, seeders });
}

const configuration = { env: 'test', debug: false, profilerStore: 'off' } as const;

async function run(app: App, name: string, ...args: string[]): Promise<{ code: number; lines: string[] }> {
  const command = (await app.commands()).find((one) => one.name === name);
  assert.ok(command !== undefined, name);
  const lines: string[] = [];
  const code = await runCommand(command, args, { log: app.log, print: (line) => void lines.push(line) });
  return { code, lines };
}

describe('commands of the database', () => {
  after(() => rmSync(folder, { recursive: true }));

  it('migrate, list, roll back and seed', async () => {
    const persistence = await open();
    const app = createApp({ configuration, persistence });
    const names = async (): Promise<string[]> =>
      (await persistence.forActor({}).find(PotSchema, {}, { orderBy: { id: 1 } })).map(({ name }) => name);
    assert.deepEqual((await run(app, 'db:status')).lines, ['CreatePots  pending', 'AddPot  pending']);
    assert.equal((await run(app, 'db:status', '--check')).code, 1);
    assert.deepEqual((await run(app, 'db:migrate', '--to', 'CreatePots')).lines, ['CreatePots migrated']);
    assert.deepEqual((await run(app, 'db:migrate')).lines, ['AddPot migrated']);
    assert.deepEqual((await run(app, 'db:migrate')).lines, ['Nothing to do.']);
    assert.equal((await run(app, 'db:status', '--check')).code, 0);
    await run(app, 'db:seed');
    assert.deepEqual(await names(), ['first', 'seeded']);
    assert.deepEqual((await run(app, 'db:rollback')).lines, ['AddPot reverted']);
    assert.deepEqual(await names(), ['seeded']);
    await assert.rejects(() => run(app, 'db:seed', 'Nix'), { code: 'PERSISTENCE_UNKNOWN_SEEDER' });
    await app.close();
  });

  it('writes a migration with what has changed, and says that it never runs if no list names it', async () => {
    const app = createApp({ configuration, persistence: await open([Migrator], []) });
    const { lines } = await run(app, 'db:create', 'new-pots');
    assert.match(lines[0] ?? '', /^Migration\d+_new_pots\.ts is written\.$/);
    const unlisted =
      /^Migration\d+_new_pots\.ts {2}never runs: add Migration\d+_new_pots to the migrationsList/;
    assert.match(lines[1] ?? '', unlisted);
    const [file = ''] = readdirSync(folder);
    const written = readFileSync(join(folder, file), 'utf8');
    assert.match(written, /create table \\`pot\\`/);
    assert.doesNotMatch(written, /ext_/, 'no entity has translations or versions');
    assert.match((await run(app, 'db:migrate')).lines.at(-1) ?? '', unlisted);
    assert.equal((await run(app, 'db:status', '--check')).code, 1);
    await app.close();
    rmSync(join(folder, file));
  });

  it('writes no migration while others are pending', async () => {
    const app = createApp({ configuration, persistence: await open() });
    const { code, lines } = await run(app, 'db:create');
    assert.deepEqual([code, lines.length, readdirSync(folder)], [1, 1, []]);
    assert.match(lines[0] ?? '', /Run "lookback db migrate" first/);
    await app.close();
  });

  it('find migrator and seeder where no one registered them', async () => {
    const app = createApp({ configuration, persistence: await open([]) });
    assert.deepEqual((await run(app, 'db:migrate')).lines, ['CreatePots migrated', 'AddPot migrated']);
    assert.deepEqual((await run(app, 'db:seed', 'PotSeeder')).lines, ['The database is seeded.']);
    await app.close();
  });

  it('say what seeding lacks', async () => {
    const app = createApp({ configuration, persistence: await open([SeedManager], [], []) });
    await assert.rejects(() => run(app, 'db:seed'), { code: 'PERSISTENCE_NO_SEEDER' });
    await app.close();
  });

  it('of a persistence that is opened late are there as well, and an application may put its own in their place', async () => {
    const app = createApp({ configuration, persistence: latePersistence(open()) });
    assert.deepEqual((await run(app, 'db:status')).lines, ['CreatePots  pending', 'AddPot  pending']);
    app.command('db:seed', { description: 'Own.' }, ({ print }) => print('mine'));
    assert.deepEqual((await run(app, 'db:seed')).lines, ['mine']);
    assert.throws(() => app.command('db:seed', { description: '' }, () => {}), {
      code: 'FRAMEWORK_DUPLICATE_COMMAND',
    });
    await app.close();
  });
});
