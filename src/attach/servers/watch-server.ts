import type { Server } from 'node:net';
import type { Attachment } from '../attachment/attachment.js';
import { type Exchange, findExchange } from '../watch/exchange.js';
import type { ForeignRequest, ForeignResponse } from '../watch/foreign-message.js';
import { type Intercept, interceptEmit } from './intercept-emit.js';

/** Watches the requests of one server. The returned function takes it back. */
export function watchServer(attachment: Attachment, server: Server): () => void {
  return interceptEmit(watchRequests(attachment), server);
}

/** Records requests as they are emitted; `onExchange` is called before each that is recorded is answered. */
export function watchRequests(
  attachment: Attachment,
  onExchange?: (server: Server, exchange: Exchange) => void,
): Intercept {
  return ({ server, event, args, go }) => {
    if (event === 'listening') return go();
    const [incoming, outgoing] = args as [ForeignRequest, ForeignResponse]; // the two arguments of these events
    const answer = (): boolean => {
      const exchange = findExchange(incoming);
      if (exchange !== undefined) onExchange?.(server, exchange);
      try {
        return go();
      } catch (error) {
        exchange?.error(error);
        throw error;
      }
    };
    return attachment.handle(incoming, outgoing, answer) ?? true;
  };
}
