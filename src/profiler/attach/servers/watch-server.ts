import type { Server } from 'node:net';
import { checkValue, objectWith } from '#core/options';
import { undoAll } from '#core/patches';
import { type Attachment, attachmentOf, type Detachable, makeDetachable } from '../attachment/attachment.js';
import { type FrameworkWatch, watchFrameworks } from '../frameworks/watch-frameworks.js';
import type { AttachOptions } from '../watch/attach-options.js';
import { findExchange } from '../watch/exchange.js';
import type { ForeignRequest, ForeignResponse } from '../watch/foreign-message.js';
import { noteUncaught } from '../watch/note-facts.js';
import { HeldEmissions, isHoldable } from './held-emissions.js';
import { type Intercept, interceptEmit } from './intercept-emit.js';

export function watchServer(attachment: Attachment, server: Server): () => void {
  const frameworks = watchFrameworks();
  const held = new HeldEmissions();
  const intercept = onceReady(attachment, { held, watch: watchRequests(attachment, frameworks) });
  const passOn = (): void => held.release(passUnwatched, () => undefined);
  return undoAll([passOn, frameworks.restore, interceptEmit(intercept, server)]);
}

const passUnwatched: Intercept = ({ go }) => go();

/**
 * Returns an interceptor that holds the requests that arrive while the first tokens are being reserved. Those that have
 * no request before them would otherwise get long tokens.
 */
function onceReady(
  attachment: Attachment,
  { held, watch }: { readonly held: HeldEmissions; readonly watch: Intercept },
): Intercept {
  let state: 'new' | 'waiting' | 'ready' = 'new';
  const prepare = (): void => {
    const ready = attachment.ready({ keepsAlive: false });
    state = ready === undefined ? 'ready' : 'waiting';
    void ready?.finally(() => held.release(watch, () => (state = 'ready')));
  };
  return (emission) => {
    if (state === 'new') prepare();
    if (emission.event === 'listening') return emission.go();
    if (state === 'ready' || !attachment.guarded(() => isHoldable(emission), false)) return watch(emission);
    held.hold(emission);
    return true;
  };
}

/** Returns an interceptor that records requests when a server emits them. */
export function watchRequests(attachment: Attachment, frameworks: FrameworkWatch): Intercept {
  return ({ server, event, args, go }) => {
    if (event === 'listening') {
      void attachment.ready({ keepsAlive: false });
      return go();
    }
    const [incoming, outgoing] = args as [ForeignRequest, ForeignResponse]; // the request events' arguments
    const answer = (): boolean => {
      const exchange = findExchange(incoming);
      if (exchange !== undefined) attachment.guarded(() => frameworks.begin(exchange, server), undefined);
      return exchange === undefined ? go() : noteUncaught(exchange, go);
    };
    return attachment.handle(incoming, outgoing, answer) ?? true;
  };
}

const nodeServer = objectWith<Server>(
  'a server from createServer() of node:http, node:https or node:http2',
  'on',
  'emit',
);

/**
 * Records the requests of a `node:http`, `node:https` or `node:http2` server, and serves the profiler's pages under
 * `/_profiler` on its port, to this machine only. In production nothing is watched unless you pass `enabled: true`.
 */
export function attach(server: Server, options?: AttachOptions): Detachable {
  const attachment = attachmentOf(options);
  checkValue('attach()', 'server', server, nodeServer);
  const detach = attachment.settings.enabled ? watchServer(attachment, server) : (): void => undefined;
  return makeDetachable({}, attachment, detach);
}
