import { Server } from 'node:net';

type Emit = (this: Server, event: string, ...args: unknown[]) => boolean;

/** A server event about to be emitted. */
export interface Emission {
  readonly server: Server;
  readonly event: string;
  readonly args: readonly unknown[];
  /** Emits the event and returns `emit`'s result. */
  readonly go: () => boolean;
}

export type Intercept = (emission: Emission) => boolean;

/** Intercepted events: the start of listening, and requests. */
const requestEvents: ReadonlySet<string> = new Set(['listening', 'request', 'checkContinue']);

/** The current emission, so that it is intercepted only once if several interceptions see it. */
let passing: { readonly server: Server; readonly subject: unknown } | undefined;

/**
 * Intercepts `emit` on one server or, by default, on all servers in the process: those from `node:http`, `node:https` and `node:http2`
 * inherit it from `net.Server`, no matter how and when they are created. Skips the servers of lookback applications, including other copies
 * of the package, because they keep their own records. The returned function undoes the interception.
 */
export function interceptEmit(intercept: Intercept, target: Server = Server.prototype): () => void {
  const former = Object.getOwnPropertyDescriptor(target, 'emit');
  const emit = Reflect.get(target, 'emit') as Emit; // every server has this method
  let isWatching = true;
  const watching: Emit = function lookback(event, ...args) {
    const isPassing = passing?.server === this && passing.subject === args[0];
    if (!isWatching || isPassing || !requestEvents.has(event) || ownServer in this)
      return Reflect.apply(emit, this, [event, ...args]);
    const go = (): boolean => {
      const outer = passing;
      passing = { server: this, subject: args[0] };
      try {
        return Reflect.apply(emit, this, [event, ...args]);
      } finally {
        passing = outer;
      }
    };
    return intercept({ server: this, event, args, go });
  };
  Object.defineProperty(target, 'emit', { value: watching, writable: true, configurable: true });
  return () => {
    isWatching = false;
    if (Reflect.get(target, 'emit') !== watching) return; // `emit` was replaced again since, so this function stays in place and only passes events on
    if (former === undefined) Reflect.deleteProperty(target, 'emit');
    else Object.defineProperty(target, 'emit', former);
  };
}

/** Returns whether the server's `emit` is intercepted, possibly by another copy of the package. */
export function isIntercepted(server: Server): boolean {
  return server.emit.name === 'lookback'; // the function above
}

/** Body chunks that arrived before the request was passed on to the application. */
export const heldChunks: unique symbol = Symbol('lookback.held chunks');

/** Marks lookback's own servers, which are never watched. */
export const ownServer: unique symbol = Symbol.for('lookback.server');

/** Prints a line about the recording itself. */
export function report(line: string): void {
  process.stderr.write(`lookback: ${line}\n`);
}
