/** A process that writes records until it is done or killed: `node write-many.js FILE COUNT`; prints tokens that are stored. */
import { createProfiler, createSqliteStore } from '#profiler';
import { watchRequest } from './watch-request.js';

const [path = '', count = '0'] = process.argv.slice(2);
const profiler = createProfiler({ store: createSqliteStore(path), storeName: path });
for (let made = 0; made < Number(count);) {
  const tokens: string[] = [];
  for (let step = 0; step < 20 && made < Number(count); step++, made++)
    tokens.push(watchRequest(profiler, { source: { target: `/${process.pid}/${made}` } }));
  await profiler.flush();
  if (profiler.counters().pending === 0) process.stdout.write(`${tokens.join('\n')}\n`);
}
await profiler.close();
const { made, stored } = profiler.counters();
process.exitCode = made === stored ? 0 : 1;
