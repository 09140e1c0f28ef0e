import type { Server, Socket } from 'node:net';
import { findIdle } from './fast/node-internals.js';
import type { InFlight, ServerState } from './server-state.js';
import { httpErrors } from '../failures/error-codes.js';

/** State of a connection at the last check. */
interface Activity {
  bytesRead: number;
  /** Number of consecutive checks without new bytes from the client. */
  quiet: number;
}

/** Number of consecutive quiet checks after which an answered connection is closed. */
const quietChecks = 5;

/**
 * The open connections and their keep-alive timeout. One interval checks all connections five times per timeout, so an
 * idle connection is closed after 1 to 1.2 times the timeout. A timer per connection, reset with each request, would
 * take a twentieth of the time of a small request.
 */
export class Connections {
  readonly #open = new Map<Socket, Activity>();
  #timer: NodeJS.Timeout | undefined;

  get sockets(): Iterable<Socket> {
    return this.#open.keys();
  }

  add(socket: Socket): void {
    this.#open.set(socket, { bytesRead: 0, quiet: 0 });
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Starts closing idle connections: those that had an answer and have no request in `inFlight`. */
  watch(server: Server, inFlight: readonly InFlight[], keepAliveTimeout: number): void {
    this.#timer = setInterval(
      () => this.#closeQuiet(server, inFlight),
      keepAliveTimeout / quietChecks,
    ).unref();
  }

  unwatch(): void {
    clearInterval(this.#timer);
  }

  /** Closes the connections that have neither a partly received request nor one in flight. */
  closeIdle(server: Server, inFlight: readonly InFlight[]): void {
    const idle = findIdle(server);
    const busy = socketsOf(inFlight);
    for (const socket of this.#open.keys()) {
      const isIdle = idle === undefined ? inFlight.length === 0 && socket.bytesWritten > 0 : idle.has(socket);
      if (isIdle && !busy.has(socket)) socket.destroy();
    }
  }

  #closeQuiet(server: Server, inFlight: readonly InFlight[]): void {
    let idle: ReadonlySet<unknown> | undefined;
    const busy = socketsOf(inFlight);
    for (const [socket, activity] of this.#open) {
      const { bytesRead } = socket;
      if (busy.has(socket) || bytesRead !== activity.bytesRead) {
        activity.bytesRead = bytesRead;
        activity.quiet = 0;
      } else if (socket.bytesWritten > 0 && ++activity.quiet >= quietChecks) {
        idle ??= findIdle(server);
        if (idle === undefined || idle.has(socket)) socket.destroy();
        else activity.quiet = 0; // part of a request has arrived: Node's request timeouts apply
      }
    }
  }
}

function socketsOf(inFlight: readonly InFlight[]): ReadonlySet<unknown> {
  const sockets = new Set<unknown>();
  for (const { source } of inFlight) sockets.add(source.socket);
  return sockets;
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
