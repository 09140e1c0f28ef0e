import { MikroORM } from '@mikro-orm/libsql';
import { withBehaviours } from '#framework/persistence';
import { behavioursContract } from './behaviours-contract.js';
import { createTables } from './create-tables.js';

behavioursContract('SQLite', async () => {
  const opened: MikroORM[] = [];
  return {
    async open(entities) {
      const orm = await MikroORM.init(withBehaviours({ dbName: ':memory:', entities }));
      await createTables(orm);
      opened.push(orm);
      return orm;
    },
    async close() {
      for (const orm of opened) await orm.close(true);
    },
  };
});
