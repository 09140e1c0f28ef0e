import { undoAll, replaceMethod } from '#patches';
import { fieldOf } from '../source/fields.js';
import { TappedObjects } from '../source/tapped-objects.js';

/** Taps a Knex: taps each connection from its pool, also those of transactions, by the driver's kind (pg, better-sqlite3 …). */
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
