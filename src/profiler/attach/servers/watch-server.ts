import type { Server } from 'node:net';
import { undoAll } from '#core/patches';
import { type Attachment, attachmentOf, type Detachable, makeDetachable } from '../attachment/attachment.js';
import { type FrameworkWatch, watchFrameworks } from '../frameworks/watch-frameworks.js';
import type { AttachOptions } from '../watch/attach-options.js';
import { findExchange } from '../watch/exchange.js';
import type { ForeignRequest, ForeignResponse } from '../watch/foreign-message.js';
import { noteUncaught } from '../watch/note-facts.js';
import { type Intercept, interceptEmit } from './intercept-emit.js';

export function watchServer(attachment: Attachment, server: Server): () => void {
  const frameworks = watchFrameworks();
  return undoAll([frameworks.restore, interceptEmit(watchRequests(attachment, frameworks), server)]);
}

/** Returns an interceptor that records requests when a server emits them. */
export function watchRequests(attachment: Attachment, frameworks: FrameworkWatch): Intercept {
  return ({ server, event, args, go }) => {
    if (event === 'listening') {
      void attachment.ready({ keepsAlive: false });
      return go();
    }
    const [incoming, outgoing] = args as [ForeignRequest, ForeignResponse]; // the arguments of the request events
    const answer = (): boolean => {
      const exchange = findExchange(incoming);
      if (exchange !== undefined) attachment.guarded(() => frameworks.begin(exchange, server), undefined);
      return exchange === undefined ? go() : noteUncaught(exchange, go);
    };
    return attachment.handle(incoming, outgoing, answer) ?? true;
  };
}

/**
 * Records the requests of a `node:http`, `node:https` or `node:http2` server, and serves the profiler's pages under
 * `/_profiler` on its port, to this machine only. In production nothing is watched unless you pass `enabled: true`.
 */
export function attach(server: Server, options?: AttachOptions): Detachable {
  const attachment = attachmentOf(options);
  const detach = attachment.settings.enabled ? watchServer(attachment, server) : (): void => undefined;
  return makeDetachable({}, attachment, detach);
}
