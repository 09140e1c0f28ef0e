/**
 * A process that records into a shared store until it has made so many, or is killed: `node write-shared.js ADDRESS COUNT`.
 * Prints each portion of tokens that is stored, and the counters at the end.
 */
import { createProfiler, createStore } from '#profiler';
import { until } from '../until.js';
import { watchRequest } from './watch-request.js';

const [address = '', count = '0'] = process.argv.slice(2);
const profiler = createProfiler({ store: createStore(address), storeName: address });
for (let made = 0; made < Number(count);) {
  const tokens: string[] = [];
  for (let step = 0; step < 25 && made < Number(count); step++, made++)
    tokens.push(watchRequest(profiler, { source: { target: `/${process.pid}/${made}` } }));
  // A flush ends without them where the server does not answer in time, as one that many processes open at once may.
  await until(() => profiler.flush().then(() => profiler.counters().pending === 0), 'stored');
  process.stdout.write(`${tokens.join('\n')}\n`);
}
if (process.env['LOOKBACK_TEST_END'] === 'exit') {
  watchRequest(profiler, { source: { target: '/the-last' } });
  process.exit(0);
}
await profiler.close();
const { made, stored } = profiler.counters();
process.exitCode = made === stored ? 0 : 1;
