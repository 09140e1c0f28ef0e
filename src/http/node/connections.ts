import type { Server, Socket } from 'node:net';
import { findIdle } from './fast/node-internals.js';
import type { ServerState } from './server-state.js';
import { httpErrors } from '../failures/error-codes.js';

/** Closes those of the connections that have neither a partly received request nor one in flight. */
export function closeIdle(server: Server, sockets: Iterable<Socket>, { inFlight }: ServerState): void {
  const idle = findIdle(server);
  const busy = new Set(inFlight.map(({ source }) => source.socket));
  for (const socket of sockets) {
    const isIdle = idle === undefined ? inFlight.length === 0 && socket.bytesWritten > 0 : idle.has(socket);
    if (isIdle && !busy.has(socket)) socket.destroy();
  }
}

/** Minimum milliseconds between two reports of refused connections. */
const reportIntervalMs = 60_000;

/** Refuses connections beyond `maxConnections`. Reports the first refusal, and from then on the count at most once a minute. */
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
    service.report(httpErrors.create('HTTP_CONNECTIONS_REFUSED', { refused, limit: maxConnections }));
    reportedAt = now;
    refused = 0;
  });
}
