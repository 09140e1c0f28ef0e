import type { Server } from 'node:net';
import { attachmentOf } from '../attachment/attachment.js';
import type { AttachOptions } from '../watch/attach-options.js';
import { watchServers } from './watch-servers.js';

/** A server that is being watched. */
export interface Attached {
  /** Leaves the server as it was; requests under way are recorded to their end. */
  detach(): void;
  /** Detaches, writes what is left and closes the store. */
  close(): Promise<void>;
}

/**
 * Records the requests of a server of `node:http`, `node:https` or `node:http2`, and serves the profiler's pages below
 * `/_profiler` on its port, to this machine only. In production nothing is watched unless `enabled` says so.
 */
export function attach(server: Server, options?: AttachOptions): Attached {
  const attachment = attachmentOf(options);
  const detach = attachment.isEnabled ? watchServers({ attachment }, server) : (): void => undefined;
  return {
    detach,
    close() {
      detach();
      return attachment.close();
    },
  };
}
