import { parseQuery } from '../../dist/src/profiler.js';
import { idOf } from '../../dist/src/profiler/encoding/token.js';
import { openStore } from '../../dist/src/profiler/storage/tables/open-store.js';
import { readDatabaseTime } from './schedstat.mjs';
import { dayEnd, daysRecords } from './day-of-requests.mjs';
import { spreadOf } from './summarise-pair.mjs';

const retention = { records: 2e9, ageDays: 1000, bytes: 2e13, profilerRecords: 100 };
const perWrite = 256;
const collected = [
  { column: 'db.queries', kind: 'count' },
  { column: 'db.durationMs', kind: 'ms' },
  { column: 'db.repeated', kind: 'count', finding: 'N+1' },
];
const conditionsOf = (query) => parseQuery(query, { collected }).where;

/** Runs work and returns its wall-clock time and its CPU time (in this process and in the database's backends), in milliseconds. */
async function timed(address, work) {
  const [database, cpu, start] = [readDatabaseTime(address), process.cpuUsage(), performance.now()];
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  const wall = performance.now() - start;
  return { result, wall, used: (user + system) / 1000 + (readDatabaseTime(address) - database) / 1e6 };
}

/** Fills a store up to this number of records: returns the cost per record, in this process and in the database. */
export async function fillStore(address, { records }) {
  const store = openStore(address, { retention });
  const { tally } = await store.append({ records: [] });
  const written = await write(address, store, Math.max(0, records - tally.records));
  await store.close();
  return written;
}

/** Writes another tenth to a store that has reached its limit, so that each write removes as many records as it adds. */
export async function writeAtLimit(address, { records }) {
  const store = openStore(address, { retention: { ...retention, records } });
  const written = await write(address, store, records / 10);
  await store.close();
  return written;
}

async function write(address, store, count) {
  const { from: firstId } = (await store.append({ records: [], reserve: count })).reserved ?? { from: 0 };
  let [micros, clock, waiting] = [0, 0, []];
  let tally;
  const append = async () => {
    const { result, wall, used } = await timed(address, () => store.append({ records: waiting }));
    ({ tally } = result);
    micros += used * 1000;
    clock += wall;
    waiting = [];
  };
  for (const finished of daysRecords({ records: count, firstId }))
    if (waiting.push(finished) === perWrite) await append();
  await append();
  const rates = { micros: micros / count, perSecond: (count / clock) * 1000 };
  return { records: tally.records, bytes: tally.bytes / tally.records, made: count, ...rates };
}

/** The list queries, in query language. */
export const pages = {
  newest: '',
  'status with matches': 'status:500',
  'status without matches': 'status:418',
  route: 'route:shop_route_7',
  'route without matches': 'route:nowhere',
  'path with matches': 'path:article-12',
  'path with one match': 'path:/article-777777',
  'path without matches': 'path:nowhere',
  user: 'user:customer-77@shop.example',
  'user without matches': 'user:nobody',
  'has:error': 'has:error',
  'has:n+1': 'has:n+1',
  'full text': 'PaymentError',
  'full text without matches': '"nowhere at all"',
  'slower than 400 ms': 'duration:>400ms',
  'an hour yesterday': `after:${dayEnd - 43_200_000} before:${dayEnd - 39_600_000}`,
  'two filters without a common match': 'status:404 route:shop_route_7',
  'sorted by status': { column: 'status' },
  'sorted by duration': { column: 'durationMs' },
  'sorted by queries': { column: 'db.queries' },
  'errors sorted by duration': { column: 'durationMs', query: 'has:error' },
};

const counts = {
  'groups by route': { groupBy: ['route'] },
  'error groups': {
    groupBy: ['errorClass', 'errorLocation'],
    where: conditionsOf('has:error'),
    steps: { from: dayEnd - 86_400_000, stepMs: 3_600_000, count: 24 },
  },
  'histogram of half an hour': {
    where: conditionsOf(`after:${dayEnd - 1_800_000}`),
    steps: { from: dayEnd - 1_800_000, stepMs: 60_000, count: 30 },
  },
  'histogram of the day': { steps: { from: dayEnd - 86_400_000, stepMs: 480_000, count: 180 } },
  'count by status': { where: conditionsOf('status:404'), isCountOnly: true },
};

/** Times each page, filter, order and count, in milliseconds: wall-clock time, and CPU time here and in the database. */
export async function browseStore(address, { rounds = 7, only = '' } = {}) {
  const store = openStore(address, { isReadOnly: address !== 'memory:' });
  const results = [];
  const time = async (name, work) => {
    if (!name.includes(only)) return;
    const [took, used] = [[], []];
    let found;
    for (let round = 0; round <= rounds; round++) {
      const one = await timed(address, work);
      found = one.result;
      took.push(one.wall);
      used.push(one.used);
    }
    // The first round loads code and file pages.
    const [wall, cpu] = [spreadOf(took.slice(1)), spreadOf(used.slice(1))];
    results.push({ name, first: took[0], wall, cpu, found });
  };
  for (const [name, asked] of Object.entries(pages)) {
    const { column, query = '' } = typeof asked === 'string' ? { query: asked } : asked;
    const sort = column === undefined ? {} : { sort: { column, isAscending: false } };
    const search = { query: { where: conditionsOf(query), ...sort }, limit: 50 };
    await time(name, async () => `${(await store.list(search)).rows.length} rows`);
  }
  const deep = await cursorAt(store, 0.9);
  if (deep !== null)
    await time('page at 90 %', async () => {
      const { rows } = await store.list({ query: {}, before: deep, limit: 50 });
      return `${rows.length} rows`;
    });
  for (const [name, query] of Object.entries(counts))
    await time(name, async () => {
      const { groups } = await store.totals(query);
      return `${groups.length} groups of ${groups.reduce((sum, { count }) => sum + count, 0)}`;
    });
  const [newest] = (await store.list({ query: {}, limit: 1 })).rows;
  await time('record by token', async () => (await store.find(idOf(newest.token))).kind);
  await store.close();
  return results;
}

/** The cursor after this share of all records. It is found by time, because requests are spread evenly over the day. */
async function cursorAt(store, share) {
  const until = Math.round(dayEnd - 86_400_000 * share);
  return (await store.list({ query: { where: conditionsOf(`before:${until}`) }, limit: 1 })).next;
}
