import { join } from 'node:path';
import type { MikroORM, Options } from '@mikro-orm/core';
import type { Persistence } from 'lookback/persistence';
import { createPersistence, withBehaviours } from 'lookback/persistence';
import type { JournalSettings } from '../settings.js';
import { schemas } from './schemas.js';

/** Opens the journal's database and brings its tables up to date. */
export async function openDatabase(settings: JournalSettings): Promise<Persistence> {
  const orm = await startOrm(settings);
  await orm.schema.ensureDatabase();
  await orm.schema.updateSchema({ safe: true });
  return createPersistence({ orm });
}

/** Only the driver that is needed is loaded. */
async function startOrm({ databaseUrl, folder }: JournalSettings): Promise<MikroORM> {
  const options = (where: Options): Options =>
    withBehaviours({ entities: schemas, ...where }, { defaultLocale: 'en' });
  if (databaseUrl === undefined) {
    const { MikroORM: Sqlite } = await import('@mikro-orm/libsql');
    const orm = await Sqlite.init(options({ dbName: join(folder, 'journal.db') }));
    // Readers and one writer at a time, who is waited for: other processes may use the file as well.
    for (const setting of ['journal_mode = wal', 'busy_timeout = 5000', 'synchronous = normal'])
      await orm.em.getConnection().execute(`pragma ${setting}`);
    return orm;
  }
  const { MikroORM: Postgres } = await import('@mikro-orm/postgresql');
  return Postgres.init(options({ clientUrl: databaseUrl }));
}
