/**
 * A program for tests: records requests to the store in its first argument; the second argument is their number (default: endless). One in
 * 50 fails, for which it prints `failed TOKEN`; at the end it prints `made N`.
 */
import { setImmediate } from 'node:timers/promises';
import { HttpRequest } from 'lookback';
import { createProfiler } from 'lookback/profiler';

const [, , store = '', amount = ''] = process.argv;
const profiler = createProfiler({ store, retention: { records: 100_000 } });
profiler.start();
for (let count = 1; amount === '' || count <= Number(amount); count++) {
  const request = new HttpRequest({
    method: 'GET',
    target: `/load/${process.pid}/${count}`,
    rawHeaders: ['Host', 'a.test'],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
  });
  const recording = profiler.begin(request);
  const status = count % 50 === 0 ? 500 : 200;
  profiler.finish(recording, undefined, { status, headers: [], bodyBytes: 0, completed: true });
  if (status === 500) process.stdout.write(`failed ${recording.token}\n`);
  if (count % 10 === 0) await setImmediate();
}
await profiler.close();
process.stdout.write(`made ${amount}\n`);
