import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browseStore, fillStore, writeAtLimit } from '../harness/browse-store.mjs';

const sizes = { full: [10_000, 1_000_000], quick: [10_000, 100_000] };

/** The cost of each page, filter, order and count in a SQLite file with many records: wall-clock and CPU time. */
export async function measure({ isQuick }) {
  const rows = [];
  for (const records of isQuick ? sizes.quick : sizes.full) {
    const folder = mkdtempSync(join(tmpdir(), 'lookback-browse-'));
    const address = `sqlite:${join(folder, 'profiler.db')}`;
    const among = `${records.toLocaleString('en')} in SQLite`;
    try {
      const { micros, bytes } = await fillStore(address, { records });
      rows.push({ name: `write one record, ${among}`, unit: 'µs, all threads', spread: same(micros) });
      rows.push({ name: `record size, ${among}`, unit: 'bytes', spread: same(bytes) });
      const atLimit = await writeAtLimit(address, { records });
      rows.push({ name: '– at the count limit', unit: 'µs, all threads', spread: same(atLimit.micros) });
      for (const { name, wall, cpu } of await browseStore(address))
        rows.push(
          { name: `${name}, ${among}`, unit: 'ms', spread: wall },
          { name: '– processor time', unit: 'ms', spread: cpu },
        );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return rows;
}

function same(median) {
  return { median, least: median, greatest: median };
}
