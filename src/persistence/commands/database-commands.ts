import type { Constructor, MikroORM } from '@mikro-orm/core';
import type { Command } from '#command';
import { createCommand } from '#command';
import { persistenceErrors } from '../orm/error-codes.js';

/** A class of `@mikro-orm/seeder`. */
export type SeederClass = Constructor<{ run(em: never, context?: never): void | Promise<void> }>;

export interface DatabaseCommandsOptions {
  /** Seeders that `db seed` runs, in this order. Default: the seeder in MikroORM's own configuration. */
  readonly seeders?: readonly SeederClass[];
}

const migrations = [
  ['db:migrate', 'Runs the pending migrations.', 'up', 'migrated'],
  ['db:rollback', 'Reverts the last migration.', 'down', 'reverted'],
] as const;

/** Creates the commands that migrate and seed the database, by MikroORM's migrator and seeder. */
export function databaseCommands(orm: MikroORM, { seeders }: DatabaseCommandsOptions): readonly Command[] {
  const to = { to: { type: 'string', description: 'Name of the last migration to run or revert' } } as const;
  return [
    ...migrations.map(([name, description, direction, done]) =>
      createCommand(name, { description, options: to }, async ({ options, print }) => {
        const target = options.to === undefined ? undefined : { to: options.to };
        const ran = await migratorOf(orm)[direction](target);
        for (const migration of ran) print(`${migration.name} ${done}`);
        if (ran.length === 0) print('Nothing to do.');
      }),
    ),
    createCommand(
      'db:status',
      {
        description: 'Shows which migrations have run.',
        options: { check: { type: 'boolean', description: 'Exit code 1 if one is pending' } },
      },
      ({ options, print }) => showStatus(orm, { isCheck: options.check === true, print }),
    ),
    createCommand(
      'db:create',
      {
        description: 'Writes a migration for the differences between entities and database.',
        positionals: ['name'],
        options: { blank: { type: 'boolean', description: 'Write an empty one' } },
      },
      async ({ options, positionals: [name], print }) => {
        const { fileName } = await migratorOf(orm).createMigration(
          undefined,
          options.blank === true,
          false,
          name,
        );
        print(fileName === '' ? 'Nothing has changed.' : `${fileName} is written.`);
      },
    ),
    createCommand(
      'db:seed',
      { description: 'Fills the database.', positionals: ['seeder'] },
      async (context) => {
        await seed(orm, context.positionals[0], seeders);
        context.print('The database is seeded.');
      },
    ),
  ];
}

async function showStatus(
  orm: MikroORM,
  { isCheck, print }: { readonly isCheck: boolean; readonly print: (line: string) => void },
): Promise<number> {
  const migrator = migratorOf(orm);
  const pending = await migrator.getPendingMigrations();
  for (const { name, executed_at: at } of await migrator.getExecutedMigrations())
    print(`${name}  ran ${new Date(at).toISOString()}`);
  for (const { name } of pending) print(`${name}  pending`);
  return isCheck && pending.length > 0 ? 1 : 0;
}

async function seed(
  orm: MikroORM,
  name: string | undefined,
  seeders: readonly SeederClass[] = [],
): Promise<void> {
  const seeder = extension(() => orm.seeder, { what: 'Seeding', name: 'seeder', export: 'SeedManager' });
  const chosen = seeders.filter((one) => name === undefined || one.name === name);
  if (chosen.length > 0) await seeder.seed(...(chosen as never[])); // seeder classes, whose types are not loaded here
  else if (name !== undefined && seeders.length > 0)
    throw persistenceErrors.create('PERSISTENCE_UNKNOWN_SEEDER', {
      name,
      known: seeders.map((one) => one.name).join(', '),
    });
  else await seeder.seedString(name ?? orm.config.get('seeder').defaultSeeder ?? 'DatabaseSeeder');
}

function migratorOf(orm: MikroORM): MikroORM['migrator'] {
  return extension(() => orm.migrator, { what: 'Migrating', name: 'migrations', export: 'Migrator' });
}

/** Opens a part of MikroORM that has to be registered. Throws `PERSISTENCE_NO_EXTENSION` if it is not. */
function extension<Part>(
  open: () => Part,
  part: { readonly what: string; readonly name: string; readonly export: string },
): Part {
  try {
    return open();
  } catch (cause) {
    throw persistenceErrors.create('PERSISTENCE_NO_EXTENSION', part, { cause });
  }
}
