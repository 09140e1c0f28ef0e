import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
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
        for (const line of unlistedMigrations(orm)) print(line);
      }),
    ),
    createCommand(
      'db:status',
      {
        description: 'Shows which migrations have run.',
        options: { check: { type: 'boolean', description: 'Exit code 1 if one is pending, or in no list' } },
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
      ({ options, positionals: [name = ''], print }) =>
        writeMigration(orm, { name, isBlank: options.blank === true, print }),
    ),
    createCommand(
      'db:seed',
      {
        description: 'Fills the database with seeders of @mikro-orm/seeder, all or the named one.',
        positionals: ['seeder'],
      },
      async (context) => {
        await seed(orm, context.positionals[0], seeders);
        context.print('The database is seeded.');
      },
    ),
  ];
}

async function writeMigration(
  orm: MikroORM,
  {
    name,
    isBlank,
    print,
  }: { readonly name: string; readonly isBlank: boolean; readonly print: (line: string) => void },
): Promise<number> {
  const migrator = migratorOf(orm);
  const pending = isBlank ? 0 : (await migrator.getPendingMigrations()).length;
  if (pending > 0) {
    print(
      `Run "lookback db migrate" first: the changes of ${pending} pending migrations would be written again.`,
    );
    return 1;
  }
  const suffix = name.replaceAll(/\W+/g, '_'); // it becomes part of the name of a class
  const { fileName } = await migrator.createMigration(undefined, isBlank, false, suffix);
  print(fileName === '' ? 'Nothing has changed.' : `${fileName} is written.`);
  for (const line of unlistedMigrations(orm)) print(line);
  return 0;
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
  const unlisted = unlistedMigrations(orm);
  for (const line of unlisted) print(line);
  return isCheck && pending.length + unlisted.length > 0 ? 1 : 0;
}

/**
 * Describes the migrations that are in the folder of migrations, but not in the `migrationsList` of MikroORM's options, so
 * that they never run. Without a list, MikroORM runs all files of the folder.
 */
function unlistedMigrations(orm: MikroORM): readonly string[] {
  const { migrationsList, path = '', pathTs, emit } = orm.config.get('migrations');
  if (migrationsList === undefined) return [];
  const listed = new Set(
    migrationsList.flatMap((one) => ('class' in one ? [one.name, one.class.name] : [one.name])),
  );
  const folder = resolve(orm.config.get('baseDir'), (emit === 'ts' ? pathTs : undefined) ?? path);
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.flatMap((file) => {
    const [, name] = /^(.+)(?<!\.d)\.[cm]?[jt]s$/.exec(file) ?? [];
    if (name === undefined || listed.has(name)) return [];
    const [, className] = migrationClass.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
    return className === undefined || listed.has(className)
      ? []
      : [`${file}  never runs: add ${className} to the migrationsList of MikroORM's options.`];
  });
}

const migrationClass = /\bclass\s+([\w$]+)\s+extends\s+(?:[\w$]+\.)?Migration\b/;

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
  else await seedByName(seeder, name ?? orm.config.get('seeder').defaultSeeder ?? 'DatabaseSeeder');
}

/** Runs a seeder in the folder of MikroORM's options. Throws `PERSISTENCE_NO_SEEDER` if it has none of this name. */
async function seedByName(seeder: MikroORM['seeder'], name: string): Promise<void> {
  try {
    await seeder.seedString(name);
  } catch (cause) {
    const isMissing = cause instanceof Error && cause.message.startsWith(`Seeder class ${name} not found`);
    throw isMissing ? persistenceErrors.create('PERSISTENCE_NO_SEEDER', { name }, { cause }) : cause;
  }
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
