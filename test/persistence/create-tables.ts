import type { MikroORM } from '@mikro-orm/core';

/** Creates the tables of an ORM; the methods that do this in one step are named differently in MikroORM 6 and 7. */
export async function createTables({ schema }: MikroORM): Promise<void> {
  await schema.execute(await schema.getCreateSchemaSQL());
}
