import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { EntitySchema } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/libsql';
import { Migration, Migrator } from '@mikro-orm/migrations';
import { runCommand } from '#command';
import { createApp } from '#framework';
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

const folder = mkdtempSync(join(tmpdir(), 'lookback-commands-'));

async function open(
  extensions: (typeof Migrator)[] = [Migrator],
  classes: (typeof CreatePots)[] = [CreatePots, AddPot],
): Promise<Persistence<MikroORM>> {
  const list = classes.map((one) => ({ name: one.name, class: one }));
  const migrations = { migrationsList: list, path: folder, snapshot: false, silent: true };
  const orm = await MikroORM.init(
    withBehaviours(
      { dbName: ':memory:', entities: [PotSchema], extensions, migrations },
      { defaultLocale: 'en' },
    ),
  );
  return createPersistence({ orm });
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

  it('migrate, list and roll back', async () => {
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
    assert.deepEqual(await names(), ['first']);
    assert.deepEqual((await run(app, 'db:rollback')).lines, ['AddPot reverted']);
    assert.deepEqual(await names(), []);
    await app.close();
  });

  it('write a migration with what has changed, or an empty one', async () => {
    const app = createApp({ configuration, persistence: await open([Migrator], []) });
    const { lines } = await run(app, 'db:create', 'new-pots');
    assert.match(lines[0] ?? '', /^Migration\d+_new_pots\.ts is written\.$/);
    const [file = ''] = readdirSync(folder);
    const written = readFileSync(join(folder, file), 'utf8');
    assert.match(written, /create table \\`pot\\`/);
    assert.doesNotMatch(written, /ext_/, 'no entity has translations or versions');
    rmSync(join(folder, file));
    await run(app, 'db:create', '--blank', 'by-hand');
    const [blank = ''] = readdirSync(folder);
    assert.match(blank, /_by_hand\.ts$/);
    assert.doesNotMatch(readFileSync(join(folder, blank), 'utf8'), /pot/);
    rmSync(join(folder, blank));
    await app.close();
  });

  it('writes no migration while others are pending', async () => {
    const app = createApp({ configuration, persistence: await open() });
    const { code, lines } = await run(app, 'db:create');
    assert.deepEqual([code, lines.length, readdirSync(folder)], [1, 1, []]);
    assert.match(lines[0] ?? '', /Run "lookback db migrate" first/);
    await app.close();
  });

  it('find the migrator where no one registered it', async () => {
    const app = createApp({ configuration, persistence: await open([]) });
    assert.deepEqual((await run(app, 'db:migrate')).lines, ['CreatePots migrated', 'AddPot migrated']);
    await app.close();
  });

  it('are replaced by those of the application', async () => {
    const app = createApp({ configuration, persistence: await open() });
    app.command('db:status', { description: 'Own.' }, ({ print }) => print('mine'));
    assert.deepEqual((await run(app, 'db:status')).lines, ['mine']);
    assert.throws(() => app.command('db:status', { description: '' }, () => {}), {
      code: 'FRAMEWORK_DUPLICATE_COMMAND',
    });
    await app.close();
  });
});
