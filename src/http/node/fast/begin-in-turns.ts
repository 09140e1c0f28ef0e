/** A request that was read and is to be begun. */
export interface ReadRequest {
  /** Must not throw. */
  begin(): void;
}

/**
 * Begins a request in a turn of its own, behind the reading of all that has come by now: reading takes one lot of code
 * and answering another, and each is faster where it runs for several requests in a row. One turn for each request, and
 * not one for all of them: a turn has an asynchronous context of its own, so that nothing that one request puts there is
 * seen by another one, and promises go on between two turns.
 */
export function beginInTurn(request: ReadRequest): void {
  setImmediate(beginRequest, request);
}

function beginRequest(request: ReadRequest): void {
  request.begin();
}
