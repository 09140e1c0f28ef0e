import type { Server } from 'node:net';
import { serverErrors } from './settings/server-errors.js';
import type { ServerState } from './server-state.js';

/** Milliseconds in which refused connections are reported once. */
const reportIntervalMs = 60_000;

/** Connections beyond `maxConnections` are closed as they come. The first is reported, then how many more, once a minute. */
export function limitConnections(server: Server, service: ServerState): void {
  const { maxConnections } = service.limits;
  if (maxConnections === Infinity) return;
  server.maxConnections = maxConnections;
  let refused = 0;
  let reportedAt = -Infinity;
  server.on('drop', () => {
    refused += 1;
    const now = performance.now();
    if (now - reportedAt < reportIntervalMs) return;
    service.report(serverErrors.create('HTTP_CONNECTIONS_REFUSED', { refused, limit: maxConnections }));
    reportedAt = now;
    refused = 0;
  });
}
