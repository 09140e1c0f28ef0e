// What retention costs: a store is filled, written on at its bound of count, and emptied by age.
//   npm run build && node bench/retention.mjs postgres://postgres@127.0.0.1/bench?schema=kept 200000 [redis://… | sqlite:/tmp/x.db]
// Prints records a second and processor time of this process, all threads. The store should be empty before.
import { createStore } from '../dist/src/profiler.js';
import { makeSegment } from '../dist/src/testing.js';

const [address = 'memory:', wanted = '100000'] = process.argv.slice(2);
const records = Number(wanted);
const perSegment = 500;
const forever = { records: 2e9, ageMs: 1e11, bytes: 2e13, profilerRecords: 100 };
const samples = [];
while (samples.length < 16) {
  const requests = Array.from({ length: perSegment }, (_, at) => ({
    path: `/route-${(at * 7919) % 50}/article-${samples.length * perSegment + at}?page=${at % 20}`,
    status: at % 97 === 0 ? 500 : 200,
  }));
  const segment = await makeSegment(requests);
  if (segment.keys.length === perSegment) samples.push(segment);
}
let number = Math.floor(Date.now() / 100); // of segments: counts on from run to run

await write('written without a bound', forever, records);
await write('written at the bound of count', { ...forever, records }, records);
await measure('gone by age, one segment after the other', async () => {
  const store = createStore(address, { ...forever, ageMs: 1 });
  let left = records;
  while (left > 0) ({ records: left } = await store.prune());
  await store.close();
});

async function write(name, retention, amount) {
  const store = createStore(address, retention);
  await store.prune();
  await measure(name, async () => {
    for (let made = 0; made < amount;) {
      const { from } = await store.lease(16 * perSegment);
      const batch = samples.map((sample, at) => ({
        ...sample,
        number: number++,
        keys: Array.from({ length: perSegment }, (_, index) => from + at * perSegment + index),
      }));
      made += batch.length * perSegment;
      await store.write(batch);
    }
  });
  const { bytes, records: kept } = await store.tally();
  console.log(`${''.padEnd(44)} ${kept} records in the store, ${(bytes / kept).toFixed(0)} bytes each`);
  await store.close();
}

async function measure(name, work) {
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  const rate = ((records / (performance.now() - begun)) * 1000).toFixed(0);
  console.log(`${name.padEnd(44)} ${rate} a second, ${((user + system) / records).toFixed(1)} µs each here`);
}
