import { AsyncLocalStorage } from 'node:async_hooks';
import { answer, startAsync } from './plain-async.mjs';

/** With an AsyncLocalStorage context for each request, as needed for a request id in log lines. */
export function start() {
  const storage = new AsyncLocalStorage();
  return startAsync('node:http with AsyncLocalStorage, asynchronous handler', (request, response) =>
    storage.run({ request }, answer, request, response),
  );
}
