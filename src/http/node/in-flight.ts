import type { Socket } from 'node:net';
import type { HttpRequest } from '../request/http-request.js';
import type { NodeSource } from './node-source.js';

/** A request that has been read and whose answer is not finished. */
export interface InFlight {
  readonly source: NodeSource;
  readonly request: HttpRequest;
  /** Index in the list; −1 if the request is in no list. Set by the list only. */
  place: number;
  /** Sequence number for the order of insertion. Set by the list only. */
  number: number;
  /** Calls `then` when the request is finished. */
  afterwards(then: () => void): void;
}

/**
 * The requests in flight. An array instead of a Set: a Set that grows and shrinks leaves old hash tables behind, each of
 * which refers to the next and to its former elements. Once one of them is in V8's old generation, all later tables and
 * their requests stay alive until a full garbage collection.
 */
export class FlightList implements Iterable<InFlight> {
  readonly #list: InFlight[] = [];
  #added = 0;

  get size(): number {
    return this.#list.length;
  }

  /** Adds a request; does nothing if it is in the list. */
  add(request: InFlight): void {
    if (request.place !== -1) return;
    request.number = this.#added++;
    request.place = this.#list.push(request) - 1;
  }

  delete(request: InFlight): void {
    const { place } = request;
    if (place === -1) return;
    request.place = -1;
    const last = this.#list.pop();
    if (last === undefined || last === request) return;
    this.#list[place] = last;
    last.place = place;
  }

  /** Returns the requests of a connection in the order in which they were added. */
  on(socket: Socket): InFlight[] {
    return this.#list.filter(({ source }) => source.socket === socket).sort(byNumber);
  }

  /** Iterates over a snapshot of the list, in the order in which the requests were added. */
  [Symbol.iterator](): Iterator<InFlight> {
    return this.#list.toSorted(byNumber)[Symbol.iterator]();
  }
}

function byNumber(one: InFlight, other: InFlight): number {
  return one.number - other.number;
}
