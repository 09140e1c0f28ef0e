import { undoAll, replaceMethod } from '#patches';
import { fieldOf } from '../source/fields.js';
import { TappedObjects } from '../source/tapped-objects.js';

/** A Knex: each connection that its pool hands out is tapped as what it is (pg, better-sqlite3 …), those of transactions too. */
export function tapKnex(
  knex: object,
  tap: (connection: object) => (() => void) | undefined,
): (() => void) | undefined {
  const client = fieldOf(knex, 'client');
  if (typeof client !== 'object' || client === null) return undefined;
  const connections = new TappedObjects();
  const undo = replaceMethod(client, 'acquireConnection', async (former, args, self) => {
    const connection: unknown = await Reflect.apply(former, self, args);
    connections.add(connection, tap);
    return connection;
  });
  return undo === undefined ? undefined : undoAll([undo, () => connections.undoAll()]);
}
