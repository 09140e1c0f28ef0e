import type { Server, Socket } from 'node:net';
import { findIdle } from './fast/node-internals.js';
import type { FlightList } from './in-flight.js';
import { httpErrors } from '../failures/error-codes.js';
import type { ServerState } from './server-state.js';

/** What was seen of a connection when it was last looked at. */
interface Activity {
  bytesRead: number;
  /** Looks in a row at which nothing had come since the one before. */
  quiet: number;
}

/** A connection that was answered is closed at the look that finds it quiet for so many. */
const quietChecks = 5;

/**
 * The open connections, and the keep-alive time-out over them. They are looked at five times in that time, so one is
 * closed when it was idle for once to one and a fifth of it: a timer for each, set and reset with each request, is a
 * twentieth of what a small request costs.
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

  /** Begins to close what is idle: connections that had an answer, and none of whose requests is `inFlight`. */
  watch(server: Server, inFlight: FlightList, keepAliveTimeout: number): void {
    this.#timer = setInterval(
      () => this.#closeQuiet(server, inFlight),
      keepAliveTimeout / quietChecks,
    ).unref();
  }

  unwatch(): void {
    clearInterval(this.#timer);
  }

  /** Closes what has neither a request begun nor one in flight. */
  closeIdle(server: Server, inFlight: FlightList): void {
    const idle = findIdle(server);
    const busy = socketsOf(inFlight);
    for (const socket of this.#open.keys()) {
      const isIdle = idle === undefined ? inFlight.size === 0 && socket.bytesWritten > 0 : idle.has(socket);
      if (isIdle && !busy.has(socket)) socket.destroy();
    }
  }

  #closeQuiet(server: Server, inFlight: FlightList): void {
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
        else activity.quiet = 0; // half a request has come: that has time-outs of its own
      }
    }
  }
}

function socketsOf(inFlight: FlightList): ReadonlySet<unknown> {
  const sockets = new Set<unknown>();
  for (const { source } of inFlight) sockets.add(source.socket);
  return sockets;
}

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
    service.report(httpErrors.create('HTTP_CONNECTIONS_REFUSED', { refused, limit: maxConnections }));
    reportedAt = now;
    refused = 0;
  });
}
