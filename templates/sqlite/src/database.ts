import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig, MikroORM } from '@mikro-orm/libsql';
import { Migrator } from '@mikro-orm/migrations';
import { createPersistence, type Persistence, withBehaviours } from 'lookback/persistence';
import { NoteSchema } from './note.ts';

export interface DatabaseSettings {
  readonly DATABASE_FILE: string;
}

export function readDatabaseSettings({ DATABASE_FILE }: NodeJS.ProcessEnv): DatabaseSettings {
  return { DATABASE_FILE: DATABASE_FILE || 'var/app.db' };
}

export type Database = Persistence<MikroORM>;

/** MikroORM's configuration, for the application and the `mikro-orm` command. */
export function databaseOptions({ DATABASE_FILE: file }: DatabaseSettings) {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  return withBehaviours(
    defineConfig({
      dbName: file,
      entities: [NoteSchema],
      extensions: [Migrator],
      migrations: { path: join(import.meta.dirname, 'migrations'), snapshot: false, silent: true },
      pool: {
        // Another process may lock the file briefly: wait for it.
        afterCreate(
          connection: { exec(sql: string): void },
          done: (error: null, connection: object) => void,
        ) {
          connection.exec('pragma busy_timeout = 5000');
          done(null, connection);
        },
      },
    }),
    { defaultLocale: 'en' },
  );
}

/** Opens the database. `mikro-orm migration:up` creates its tables. */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  const orm = await MikroORM.init(databaseOptions(settings));
  await orm.em.getConnection().execute('pragma journal_mode = wal');
  return createPersistence({ orm });
}
