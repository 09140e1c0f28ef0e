import { createProfiler } from '../../dist/src/profiler.js';
import { recordOne } from '../harness/recorded-request.mjs';
import { timeRounds } from '../harness/time-rounds.mjs';

const nothing = {
  pruned: { count: 0, age: 0, bytes: 0, purge: 0 },
  lost: 0,
  setAside: null,
  renamed: 0,
  records: 0,
  bytes: 0,
};

/** A store that keeps nothing. */
const nowhere = {
  next: 0,
  lease(amount) {
    this.next += amount;
    return { secret: '00'.repeat(16), from: this.next - amount, to: this.next };
  },
  write: () => Promise.resolve(nothing),
  find: () => Promise.resolve('missing'),
  search: () => Promise.resolve({ rows: [], next: null, complete: true }),
  tally: () => Promise.resolve(nothing),
  prune: () => Promise.resolve(nothing),
  close: () => Promise.resolve(),
};

/** What a request thread pays for one record, from its opening to its place in a sealed segment. */
export async function measure({ isQuick }) {
  const profiler = createProfiler({ store: nowhere, storeName: 'nowhere' });
  const spread = await timeRounds(
    async (count) => {
      for (let index = 0; index < count; index++) {
        recordOne(profiler);
        if (index % 64 === 63) await new Promise(setImmediate);
      }
    },
    { isQuick },
  );
  await profiler.close();
  return [{ name: 'recording one request, encoded and sealed', unit: 'µs', spread }];
}
