import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { MikroORM, Options } from '@mikro-orm/core';
import type { Persistence } from 'lookback/persistence';
import { createPersistence, withBehaviours } from 'lookback/persistence';
import type { JournalSettings } from '../settings.js';
import { schemas } from './schemas.js';

/** Opens the journal's database and updates its tables. */
export async function openDatabase(settings: JournalSettings): Promise<Persistence> {
  try {
    const orm = await startOrm(settings);
    await makeTables(orm);
    return createPersistence({ orm });
  } catch (cause) {
    if (settings.databaseUrl === undefined) throw cause;
    const reason = cause instanceof Error ? cause.message : 'no reason given';
    throw new Error(
      `The database of DATABASE_URL cannot be opened: ${reason}. Without DATABASE_URL, SQLite is used.`,
      { cause },
    );
  }
}

/** Another process may be creating the same tables at this moment: the next attempt sees them. */
async function makeTables(orm: MikroORM, tries = 3): Promise<void> {
  try {
    await orm.schema.ensureDatabase();
    await orm.schema.updateSchema({ safe: true });
  } catch (error) {
    if (tries === 1) throw error;
    await wait(250);
    await makeTables(orm, tries - 1);
  }
}

/** Loads only the driver that is needed. */
async function startOrm({ databaseUrl, folder }: JournalSettings): Promise<MikroORM> {
  const options = (where: Options): Options =>
    withBehaviours({ entities: schemas, ...where }, { defaultLocale: 'en' });
  if (databaseUrl === undefined) {
    const { MikroORM: Sqlite } = await import('@mikro-orm/libsql');
    const orm = await Sqlite.init(options({ dbName: join(folder, 'journal.db'), pool: { afterCreate } }));
    await orm.em.getConnection().execute('pragma journal_mode = wal'); // stored in the file: readers do not block writers
    return orm;
  }
  const { MikroORM: Postgres } = await import('@mikro-orm/postgresql');
  return Postgres.init(options({ clientUrl: databaseUrl }));
}

interface SqliteConnection {
  exec(sql: string): unknown;
}

/** For every connection, because MikroORM opens a new one every ten seconds: a writer waits for other writers. */
function afterCreate(
  connection: SqliteConnection,
  done: (error: Error | null, connection: object) => void,
): void {
  connection.exec('pragma busy_timeout = 5000; pragma foreign_keys = on; pragma synchronous = normal');
  done(null, connection);
}
