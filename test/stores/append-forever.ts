/** Appends records to a store until it is killed, and prints the ids of stored ones: `node append-forever.js ADDRESS`. */
import { openStore } from 'lookback/profiler';
import { finished } from './finished-records.js';

const store = openStore(process.argv[2] ?? '');
for (;;) {
  const { reserved } = await store.append({ records: [], reserve: 8 });
  const ids = Array.from({ length: 8 }, (_, at) => (reserved?.from ?? 0) + at);
  await store.append({ records: ids.map((id) => finished({ id, path: `/${id}` })) });
  process.stdout.write(`${ids.join('\n')}\n`);
}
