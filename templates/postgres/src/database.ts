import { join } from 'node:path';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, MikroORM } from '@mikro-orm/postgresql';
import { createPersistence, type Persistence, withBehaviours } from 'lookback/persistence';
import { NoteSchema } from './note.ts';

export interface DatabaseSettings {
  readonly DATABASE_URL: string;
}

export function readDatabaseSettings({ DATABASE_URL }: NodeJS.ProcessEnv): DatabaseSettings {
  const url = DATABASE_URL || 'postgres://postgres:postgres@127.0.0.1:5432/{{database}}';
  if (!/^postgres(?:ql)?:/.test(url)) throw new Error('DATABASE_URL must be a postgres: URL.');
  return { DATABASE_URL: url };
}

export type Database = Persistence<MikroORM>;

/** MikroORM's configuration, for the application and the `mikro-orm` command. */
export function databaseOptions(settings: DatabaseSettings) {
  return withBehaviours(
    defineConfig({
      clientUrl: settings.DATABASE_URL,
      entities: [NoteSchema],
      extensions: [Migrator],
      migrations: { path: join(import.meta.dirname, 'migrations'), snapshot: false, silent: true },
    }),
    { defaultLocale: 'en' },
  );
}

/** Opens the database, and creates it if it is missing. `mikro-orm migration:up` creates its tables. */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  return createPersistence({ orm: await MikroORM.init(databaseOptions(settings)) });
}
