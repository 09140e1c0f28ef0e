import { channel } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { Server } from 'node:http';

/** A request that is begun with others. */
export interface InRound {
  /** It was read, and will be begun. */
  accept(): void;
  begin(): void;
}

/** Requests that are begun together at most. */
const MOST = 64;

const started = channel('http.server.request.start');

/**
 * Requests that are read in one round of the event loop are begun when all of them were read. Reading takes one lot of
 * code, Node's and the kernel's, and answering another: in turn they drive each other out of the processor's caches,
 * and each is faster where it runs for several requests in a row. A request that comes alone waits for nobody.
 */
export class Rounds {
  #accepted: InRound[] = [];

  /** `begin` must not throw. */
  add(request: InRound): void {
    request.accept();
    if (isWatched()) {
      request.begin();
      return;
    }
    const count = this.#accepted.push(request);
    if (count === 1) setImmediate(this.#begin);
    else if (count >= MOST) this.#begin();
  }

  readonly #begin = (): void => {
    const round = this.#accepted;
    this.#accepted = [];
    for (const request of round) request.begin();
  };
}

/**
 * Whether somebody outside follows requests from where Node tells of them. Whoever does so keeps what belongs to a
 * request in its asynchronous context, and that is only there while it is being read.
 */
function isWatched(): boolean {
  return started.hasSubscribers || Server.prototype.emit !== EventEmitter.prototype.emit;
}
