import { Server } from 'node:net';
import type { Attachment } from '../attachment/attachment.js';
import { type Exchange, findExchange } from '../watch/exchange.js';
import type { ForeignRequest, ForeignResponse } from '../watch/foreign-message.js';

type Emit = (this: Server, event: string, ...args: unknown[]) => boolean;

/** What is reported of a server beside its requests. */
export interface ServerWatch {
  readonly attachment: Attachment;
  /** Servers that are left alone. */
  readonly isOwn?: (server: Server) => boolean;
  readonly onListening?: (server: Server) => void;
  /** Before each request that is recorded is answered. */
  readonly onExchange?: (server: Server, exchange: Exchange) => void;
}

/**
 * Watches one server, or every HTTP server of the process where none is given: those of `node:http`, `node:https` and
 * `node:http2` all inherit the `emit` of `net.Server`, so it matters neither how nor when they are made. The returned
 * function takes it back.
 */
export function watchServers(watch: ServerWatch, server?: Server): () => void {
  const target: Server = server ?? Server.prototype;
  const former = Object.getOwnPropertyDescriptor(target, 'emit');
  const emit = Reflect.get(target, 'emit') as Emit; // a server's, called on it below
  let isWatching = true;
  const watching: Emit = function lookback(event, ...args) {
    if (isWatching && event === 'listening') watch.onListening?.(this);
    if (!isWatching || (event !== 'request' && event !== 'checkContinue') || watch.isOwn?.(this) === true)
      return Reflect.apply(emit, this, [event, ...args]);
    const [incoming, outgoing] = args as [ForeignRequest, ForeignResponse]; // the two arguments of these events
    const answer = (): boolean => {
      const exchange = findExchange(incoming);
      if (exchange !== undefined) watch.onExchange?.(this, exchange);
      try {
        return Reflect.apply(emit, this, [event, ...args]);
      } catch (error) {
        exchange?.recording.error(error);
        throw error;
      }
    };
    return watch.attachment.handle(incoming, outgoing, answer) ?? true;
  };
  Object.defineProperty(target, 'emit', { value: watching, writable: true, configurable: true });
  return () => {
    isWatching = false;
    if (Reflect.get(target, 'emit') !== watching) return; // somebody has put theirs in front: ours only hands on from now on
    if (former === undefined) Reflect.deleteProperty(target, 'emit');
    else Object.defineProperty(target, 'emit', former);
  };
}
