import { channel } from 'node:diagnostics_channel';

/** Other houses that hold connections answer here for those of a name, with the client that holds them. */
const others = channel('lookback:persistence:explain');
const maxClients = 50;
const kept = new Map<string, WeakRef<object>[]>(); // by the connection's name, held weakly
const seen = new WeakSet<object>();

/** Keeps a client, weakly, under the name that its queries have in records, so that it can explain them later. */
export function keepClient(connection: string, client: object): void {
  if (seen.has(client)) return;
  seen.add(client);
  const alive = (kept.get(connection) ?? []).filter((ref) => ref.deref() !== undefined);
  kept.set(connection, [...alive, new WeakRef(client)].slice(-maxClients));
}

/** A client that is recorded no more explains nothing either. */
export function forgetClient(client: object): void {
  seen.delete(client);
  for (const [name, refs] of kept)
    kept.set(
      name,
      refs.filter((ref) => ref.deref() !== client),
    );
}

/** The clients whose queries have this name in records, the newest first. */
export function clientsOf(connection: string): readonly object[] {
  const own = (kept.get(connection) ?? []).flatMap((ref) => ref.deref() ?? []).toReversed();
  others.publish({ connection, offer: (client: object) => void own.push(client) });
  return own;
}
