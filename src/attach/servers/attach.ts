import type { Server } from 'node:net';
import { attachmentOf } from '../attachment/attachment.js';
import { type Detachable, makeDetachable } from '../attachment/detachable.js';
import type { AttachOptions } from '../watch/attach-options.js';
import { watchServer } from './watch-server.js';

/**
 * Records the requests of a server of `node:http`, `node:https` or `node:http2`, and serves the profiler's pages below
 * `/_profiler` on its port, to this machine only. In production nothing is watched unless you pass `enabled: true`.
 */
export function attach(server: Server, options?: AttachOptions): Detachable {
  const attachment = attachmentOf(options);
  const detach = attachment.isEnabled ? watchServer(attachment, server) : (): void => undefined;
  return makeDetachable({}, attachment, detach);
}
