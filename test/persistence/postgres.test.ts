import { randomBytes } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import { withBehaviours } from '#framework/persistence';
import { behavioursContract } from './behaviours-contract.js';
import { startPostgres } from './start-postgres.js';
import { createTables } from './create-tables.js';

behavioursContract('PostgreSQL', async () => {
  const server = await startPostgres();
  const opened: MikroORM[] = [];
  const names = `behaviours_${randomBytes(6).toString('hex')}`; // this file may run concurrently with MikroORM 7
  return {
    async open(entities) {
      const dbName = `${names}_${opened.length}`;
      await server.createDatabase(dbName);
      const connection = {
        host: '127.0.0.1',
        port: server.port,
        user: 'postgres',
        password: 'postgres',
        dbName,
      };
      const orm = await MikroORM.init(withBehaviours({ ...connection, entities }));
      await createTables(orm);
      opened.push(orm);
      return orm;
    },
    async close() {
      for (const orm of opened) await orm.close(true);
      await server.stop();
    },
  };
});
