import { Server } from 'node:net';

type Emit = (this: Server, event: string, ...args: unknown[]) => boolean;

/** An event of a server that is about to be emitted. */
export interface Emission {
  readonly server: Server;
  readonly event: string;
  readonly args: readonly unknown[];
  /** Emits it, and gives what `emit` gives. */
  readonly go: () => boolean;
}

/** What happens in place of an emission. */
export type Intercept = (emission: Emission) => boolean;

/** That a server listens, and requests with their answers. */
const requestEvents: ReadonlySet<string> = new Set(['listening', 'request', 'checkContinue']);

/**
 * Puts itself in front of `emit` of one server, or of every server of the process where none is given: those of `node:http`,
 * `node:https` and `node:http2` all inherit that of `net.Server`, so it matters neither how nor when they are made. Servers of
 * lookback applications, of whichever copy of the package, keep their own records. The returned function takes it back.
 */
export function interceptEmit(
  intercept: Intercept,
  target: Server = Server.prototype,
  events: ReadonlySet<string> = requestEvents,
): () => void {
  const former = Object.getOwnPropertyDescriptor(target, 'emit');
  const emit = Reflect.get(target, 'emit') as Emit; // a server's, called on it below
  let isWatching = true;
  const watching: Emit = function lookback(event, ...args) {
    if (!isWatching || !events.has(event) || ownServer in this)
      return Reflect.apply(emit, this, [event, ...args]);
    return intercept({ server: this, event, args, go: () => Reflect.apply(emit, this, [event, ...args]) });
  };
  Object.defineProperty(target, 'emit', { value: watching, writable: true, configurable: true });
  return () => {
    isWatching = false;
    if (Reflect.get(target, 'emit') !== watching) return; // someone has put theirs in front: ours only hands on from now on
    if (former === undefined) Reflect.deleteProperty(target, 'emit');
    else Object.defineProperty(target, 'emit', former);
  };
}

/** What servers of ours carry, which nothing is attached to. */
export const ownServer: unique symbol = Symbol.for('lookback.server');
