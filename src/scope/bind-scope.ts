import type { Channel } from 'node:diagnostics_channel';
import { storage } from './current-scope.js';
import type { Scope } from './scope.js';

/** What is run by a channel's `runStores` runs in the scope that is found for its message, until the returned function is called. */
export function bindScope<Message>(
  channel: Channel<unknown, Message>,
  scopeOf: (message: Message) => Scope | undefined,
): () => void {
  channel.bindStore(storage, (message) => scopeOf(message) as Scope); // undefined is what a store holds outside of requests
  return () => channel.unbindStore(storage);
}
