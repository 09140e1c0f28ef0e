import { AsyncLocalStorage } from 'node:async_hooks';
import { answer, startAsync } from './plain-async.mjs';

/** With a context for each request, as whoever wants the request's id in its log lines has. */
export function start() {
  const storage = new AsyncLocalStorage();
  return startAsync('node:http with AsyncLocalStorage, asynchronous handler', (request, response) =>
    storage.run({ request }, answer, request, response),
  );
}
