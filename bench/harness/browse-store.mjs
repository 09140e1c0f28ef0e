import { createStore, openArchive, parseQuery } from '../../dist/src/profiler.js';
import { dayEnd, daysSegments } from './day-of-requests.mjs';
import { spreadOf } from './summarise-pair.mjs';

const retention = { records: 2e9, ageMs: 1e11, bytes: 2e13, profilerRecords: 100 };
const perWrite = 16;

/** Fills a store up to so many records; what that took, a record, in all threads of this process. */
export async function fillStore(address, { records, perSegment = 250 }) {
  const store = createStore(address, retention);
  const before = (await store.tally()).records;
  const made = [];
  if (before < records)
    for await (const segment of daysSegments({ records: records - before, perSegment })) made.push(segment);
  let number = Math.floor(Date.now() / 100);
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  for (let at = 0; at < made.length; at += perWrite) {
    const { from } = await store.lease(perWrite * perSegment);
    const keysOf = (place) =>
      Array.from({ length: perSegment }, (_, index) => from + place * perSegment + index);
    await store.write(
      made
        .slice(at, at + perWrite)
        .map((segment, place) => ({ ...segment, number: number++, keys: keysOf(place) })),
    );
  }
  const { user, system } = process.cpuUsage(cpu);
  const clock = performance.now() - start;
  const behind = await settle(store);
  const tally = await store.tally();
  await store.close();
  const count = Math.max(0, records - before);
  const rates = {
    micros: (user + system) / count,
    behind: behind / count,
    perSecond: (count / clock) * 1000,
  };
  return { records: tally.records, bytes: tally.bytes / tally.records, made: count, ...rates };
}

/** Waits until the store has done what it does when nothing is written; microseconds of processor time. */
async function settle(store) {
  const cpu = process.cpuUsage();
  let start;
  do {
    start = performance.now();
    await store.prune();
    await store.tally();
  } while (performance.now() - start > 500);
  const { user, system } = process.cpuUsage(cpu);
  return user + system;
}

/** What is asked of lists, each with the words of its query. */
export const pages = {
  newest: '',
  'status with matches': 'status:500',
  'status without': 'status:418',
  route: 'route:shop_route_7',
  'route without': 'route:nowhere',
  'path with matches': 'path:article-12',
  'path of one': 'path:/article-777777',
  'path without': 'path:nowhere',
  user: 'user:customer-77@shop.example',
  'user without': 'user:nobody',
  'has:error': 'has:error',
  'has:n+1': 'has:n+1',
  'full text': 'PaymentError',
  'full text without': '"nowhere at all"',
  'slower than 400 ms': 'duration:>400ms',
  'an hour of yesterday': `after:${dayEnd - 43_200_000} before:${dayEnd - 39_600_000}`,
  'two that never meet': 'status:404 route:shop_route_7',
  'sorted by status': { column: 'status' },
  'sorted by duration': { column: 'durationMs' },
  'sorted by queries': { column: 'db.queries' },
  'errors sorted by duration': { column: 'durationMs', query: 'has:error' },
};

const counts = {
  'groups by route': { groupBy: ['route'] },
  'groups of errors': {
    groupBy: ['errorClass', 'errorPlace'],
    where: parseQuery('has:error').where,
    steps: { from: dayEnd - 86_400_000, stepMs: 3_600_000, count: 24 },
  },
  'histogram of half an hour': {
    where: parseQuery(`after:${dayEnd - 1_800_000}`).where,
    steps: { from: dayEnd - 1_800_000, stepMs: 60_000, count: 30 },
  },
  'histogram of the day': { steps: { from: dayEnd - 86_400_000, stepMs: 480_000, count: 180 } },
  'count of a status': { where: parseQuery('status:404').where, isCountOnly: true },
};

/** Each page, filter, order and count, as pages and commands ask for it: milliseconds by the clock and of processor time. */
export async function browseStore(address, { rounds = 7, only = '' } = {}) {
  const store = createStore(address, retention, { isReadOnly: !address.startsWith('memory') });
  const archive = await openArchive(store, 'bench');
  const { collected } = archive;
  const results = [];
  const time = async (name, work) => {
    if (!name.includes(only)) return;
    const [took, used] = [[], []];
    let found;
    for (let round = 0; round <= rounds; round++) {
      const [cpu, start] = [process.cpuUsage(), performance.now()];
      found = await work();
      took.push(performance.now() - start);
      const { user, system } = process.cpuUsage(cpu);
      used.push((user + system) / 1000);
    }
    // The first one loads code, and pages of the file.
    results.push({
      name,
      first: took[0],
      wall: spreadOf(took.slice(1)),
      cpu: spreadOf(used.slice(1)),
      found,
    });
  };
  for (const [name, asked] of Object.entries(pages)) {
    const { column, query = '' } = typeof asked === 'string' ? { query: asked } : asked;
    const { where } = parseQuery(query, { collected });
    const sort = column === undefined ? {} : { sort: { column, isAscending: false } };
    await time(name, async () => summary(await archive.list({ where, ...sort, limit: 50 })));
  }
  const deep = await cursorAt(store, archive, 0.9);
  if (deep !== undefined)
    await time('page behind nine tenths', async () =>
      summary(await archive.list({ before: deep, limit: 50 })),
    );
  for (const [name, query] of Object.entries(counts))
    await time(name, async () => {
      const { groups, complete } = await archive.totals(query);
      const counted = groups.reduce((sum, { count }) => sum + count, 0);
      return `${groups.length} groups of ${counted}${complete ? '' : ', cut'}`;
    });
  const [newest] = (await archive.list({ limit: 1 })).rows;
  await time('record by its token', async () => (await archive.find(newest.token)).kind);
  await store.close();
  return results;
}

function summary({ rows, complete }) {
  return `${rows.length} rows${complete ? '' : ', cut'}`;
}

/** The token of a record behind so many of all: found by its time, for the day is even. */
async function cursorAt(store, archive, share) {
  const until = Math.round(dayEnd - 86_400_000 * share);
  const { rows } = await archive.list({ where: parseQuery(`before:${until}`).where, limit: 1 });
  return rows[0]?.token;
}
