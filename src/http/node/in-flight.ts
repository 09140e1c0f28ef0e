import type { Socket } from 'node:net';
import type { HttpRequest } from '../request/http-request.js';
import type { NodeSource } from './node-source.js';

/** A request that was begun and whose answer is not over. */
export interface InFlight {
  readonly source: NodeSource;
  readonly request: HttpRequest;
  /** Where it is in the list; −1 where it is in none. The list's own. */
  place: number;
  /** When it was put there, among the others. The list's own. */
  number: number;
  /** Calls `then` when it is over. */
  afterwards(then: () => void): void;
}

/**
 * The requests in flight. An array, and no Set: one that grows and shrinks with every round of requests leaves tables
 * behind that hold what was in them, each of which names the next. Once one of them is old, V8 takes all that follow
 * for alive, requests and all, until a full collection.
 */
export class FlightList implements Iterable<InFlight> {
  readonly #list: InFlight[] = [];
  #added = 0;

  get size(): number {
    return this.#list.length;
  }

  /** Adding twice is adding once. */
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

  /** Those that came over a connection, in their order. */
  on(socket: Socket): InFlight[] {
    return this.#list.filter(({ source }) => source.socket === socket).sort(byNumber);
  }

  /** Those of now, whatever is added or deleted meanwhile, in the order in which they were added. */
  [Symbol.iterator](): Iterator<InFlight> {
    return this.#list.toSorted(byNumber)[Symbol.iterator]();
  }
}

function byNumber(one: InFlight, other: InFlight): number {
  return one.number - other.number;
}
