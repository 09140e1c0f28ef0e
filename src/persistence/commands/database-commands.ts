import type { MikroORM } from '@mikro-orm/core';
import { type Command, createCommand } from '#command';
import { persistenceErrors } from '../orm/error-codes.js';

const migrations = [
  ['db:migrate', 'Runs the pending migrations.', 'up', 'migrated'],
  ['db:rollback', 'Reverts the last migration.', 'down', 'reverted'],
] as const;

/** Creates the commands that migrate the database, by MikroORM's migrator. */
export function databaseCommands(orm: MikroORM): readonly Command[] {
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
      async ({ options, print }) => {
        const migrator = migratorOf(orm);
        const pending = await migrator.getPendingMigrations();
        for (const { name, executed_at: at } of await migrator.getExecutedMigrations())
          print(`${name}  ran ${new Date(at).toISOString()}`);
        for (const { name } of pending) print(`${name}  pending`);
        return options.check === true && pending.length > 0 ? 1 : 0;
      },
    ),
    createCommand(
      'db:create',
      {
        description: 'Writes a migration for the differences between entities and database.',
        positionals: ['name'],
        options: { blank: { type: 'boolean', description: 'Write an empty one' } },
      },
      async ({ options: { blank = false }, positionals: [name = ''], print }) => {
        const migrator = migratorOf(orm);
        const pending = blank ? 0 : (await migrator.getPendingMigrations()).length;
        if (pending > 0) {
          print(
            `Run "lookback db migrate" first: the changes of ${pending} pending migrations would be written again.`,
          );
          return 1;
        }
        const suffix = name.replaceAll(/\W+/g, '_'); // it becomes part of the name of a class
        const { fileName } = await migrator.createMigration(undefined, blank, false, suffix);
        print(fileName === '' ? 'Nothing has changed.' : `${fileName} is written.`);
        return 0;
      },
    ),
  ];
}

/** Returns the migrator. Throws `PERSISTENCE_NO_MIGRATOR` if it is not installed. */
function migratorOf(orm: MikroORM): MikroORM['migrator'] {
  try {
    return orm.migrator;
  } catch (cause) {
    throw persistenceErrors.create('PERSISTENCE_NO_MIGRATOR', {}, { cause });
  }
}
