import { createApp, HttpRequest } from '../../dist/src/index.js';
import { busyWork } from '../harness/busy-work.mjs';
import { timeRounds } from '../harness/time-rounds.mjs';
import { visitorSource } from '../harness/visitors.mjs';

const peer = { address: '127.0.0.1', port: 50_000, encrypted: false };
const cases = [
  ['dispatch, recorder off', 'off', '/hello/{name}'],
  ['dispatch and record in memory', 'memory:', '/hello/{name}'],
  ['the same with 5 logs and 3 queries', 'memory:', '/busy/{name}'],
];

/** Requests from 512 visitors through every step of the kernel, including the terminate stage, without a socket. */
export async function measure({ isQuick }) {
  const results = [];
  for (const [name, profilerStore, path] of cases) {
    const app = createApp({ configuration: { env: 'dev', debug: true, profilerStore } });
    app.get('/hello/{name}', ({ params }) => ({ hello: params.name }), { name: 'hello' });
    app.get('/busy/{name}', ({ params, log }) => busyWork(params.name, log), { name: 'work' });
    const sources = Array.from({ length: 4096 }, (_, number) => ({
      ...visitorSource(number, { path }),
      peer,
    }));
    const spread = await timeRounds((count) => dispatch(app.kernel, sources, count), { isQuick });
    results.push({ name, unit: 'µs', spread });
    await app.close();
  }
  return results;
}

async function dispatch(kernel, sources, count) {
  for (let index = 0; index < count; index++) {
    const request = new HttpRequest(sources[index % sources.length]);
    const answer = kernel.handle(request);
    const response = answer instanceof Promise ? await answer : answer; // the first loads code
    kernel.terminate(request, response, {
      status: response.status,
      headers: response.headers.flat,
      bodyBytes: response.body.length,
      completed: true,
    });
    if (index % 64 === 63) await new Promise(setImmediate); // lets deferred writes run
  }
}
