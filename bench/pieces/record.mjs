import { createProfiler } from '../../dist/src/profiler.js';
import { recordOne } from '../harness/recorded-request.mjs';
import { timeRounds } from '../harness/time-rounds.mjs';

const tally = { records: 0, bytes: 0 };

/** A store that discards everything. */
const nowhere = {
  next: 0,
  append({ reserve = 0 }) {
    this.next += reserve;
    return Promise.resolve({ tally, refused: 0, reserved: { from: this.next - reserve, to: this.next } });
  },
  find: () => Promise.resolve({ kind: 'missing' }),
  list: () => Promise.resolve({ rows: [], next: null, position: 'nowhere.0' }),
  totals: () => Promise.resolve({ groups: [], complete: true }),
  update: () => Promise.resolve(0),
  close: () => Promise.resolve(),
};

/** The cost of a record, from its opening to its row: for the main thread, and for the writer, which runs in the same process. */
export async function measure({ isQuick }) {
  const profiler = createProfiler({ store: nowhere });
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
  return [{ name: 'recording one request, encoded and completed', unit: 'µs', spread }];
}
