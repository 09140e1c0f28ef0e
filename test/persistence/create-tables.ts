import type { MikroORM } from '@mikro-orm/core';

/** Creates an ORM's tables; the methods that do this in one step have different names in MikroORM 6 and 7. */
export async function createTables({ schema }: MikroORM): Promise<void> {
  await schema.execute(await schema.getCreateSchemaSQL());
}
