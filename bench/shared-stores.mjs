// Measures what filling and browsing a store costs:
//   npm run build && node bench/shared-stores.mjs postgres://postgres@127.0.0.1/bench 1000000 [words]
// Adds the missing records to the store, from one day of requests to fifty routes. Prints for each page, filter, order and count the median
// and the longest duration in milliseconds, and its CPU time in this process and in the database.
import { browseStore, fillStore, writeAtLimit } from './harness/browse-store.mjs';

const [address = 'sqlite:/tmp/lookback-bench.db', records = '10000', only = ''] = process.argv.slice(2);
const filled = await fillStore(address, { records: Number(records) });
say('records', filled.records);
say('bytes a record', filled.bytes.toFixed(0));
if (filled.made > 0) {
  say('CPU time, µs per record', filled.micros.toFixed(1));
  say('records a second', filled.perSecond.toFixed(0));
}
const atLimit = await writeAtLimit(address, { records: Number(records) });
say('– at the limit of count', atLimit.micros.toFixed(1));
for (const { name, first, wall, cpu, found } of await browseStore(address, { only })) {
  const [median, longest, used, once] = [wall.median, wall.greatest, cpu.median, first].map((ms) =>
    ms.toFixed(1).padStart(7),
  );
  say(name, `${median} ms, longest ${longest}, first ${once}, processor ${used}: ${found}`);
}

function say(name, value) {
  console.log(`${name.padEnd(34)} ${value}`);
}
