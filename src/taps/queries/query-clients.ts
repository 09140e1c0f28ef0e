import { channel } from 'node:diagnostics_channel';

/** Channel on which other modules, such as persistence, offer their clients of a name. */
const others = channel('lookback:persistence:explain');
const maxClients = 50;
const kept = new Map<string, WeakRef<object>[]>(); // connection name → clients
const seen = new WeakSet<object>();

/** Registers a client, weakly, under the connection name of its queries in records, so that it can explain them later. */
export function keepClient(connection: string, client: object): void {
  if (seen.has(client)) return;
  seen.add(client);
  const alive = (kept.get(connection) ?? []).filter((ref) => ref.deref() !== undefined);
  kept.set(connection, [...alive, new WeakRef(client)].slice(-maxClients));
}

/** Removes a client that is no longer recorded. */
export function forgetClient(client: object): void {
  seen.delete(client);
  for (const [name, refs] of kept)
    kept.set(
      name,
      refs.filter((ref) => ref.deref() !== client),
    );
}

/** Returns the clients with this connection name, the newest first. */
export function clientsOf(connection: string): readonly object[] {
  const own = (kept.get(connection) ?? []).flatMap((ref) => ref.deref() ?? []).toReversed();
  others.publish({ connection, offer: (client: object) => void own.push(client) });
  return own;
}
