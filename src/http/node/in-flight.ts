import type { HttpRequest } from '../http-request.js';
import type { NodeSource } from './node-source.js';

/** A request that was begun and whose answer is not over. */
export interface InFlight {
  readonly source: NodeSource;
  readonly request: HttpRequest;
  /** Calls `then` when it is over. */
  afterwards(then: () => void): void;
}
