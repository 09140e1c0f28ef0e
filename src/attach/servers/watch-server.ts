import type { Server } from 'node:net';
import { undoAll } from '#patches';
import type { Attachment } from '../attachment/attachment.js';
import { type FrameworkWatch, watchFrameworks } from '../frameworks/watch-frameworks.js';
import { findExchange } from '../watch/exchange.js';
import type { ForeignRequest, ForeignResponse } from '../watch/foreign-message.js';
import { type Intercept, interceptEmit } from './intercept-emit.js';

/** Watches the requests of one server. The returned function undoes it. */
export function watchServer(attachment: Attachment, server: Server): () => void {
  const frameworks = watchFrameworks();
  return undoAll([frameworks.restore, interceptEmit(watchRequests(attachment, frameworks), server)]);
}

/** Returns the interceptor that records requests when a server emits them. */
export function watchRequests(attachment: Attachment, frameworks: FrameworkWatch): Intercept {
  return ({ server, event, args, go }) => {
    if (event === 'listening') return go();
    const [incoming, outgoing] = args as [ForeignRequest, ForeignResponse]; // the arguments of the request events
    const answer = (): boolean => {
      const exchange = findExchange(incoming);
      if (exchange !== undefined) frameworks.begin(exchange, server);
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
