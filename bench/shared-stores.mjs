// What it costs to fill a store, and to browse it:
//   npm run build && node bench/shared-stores.mjs postgres://postgres@127.0.0.1/bench 1000000 [redis://… | sqlite:/tmp/x.db | memory:]
// Prints records, figures of filling (processor time of this process, all threads; bytes in the store), and the median and the
// longest of the milliseconds that each page, filter, order and count takes. A store is filled on from what is in it.
import { createProfiler, createStore } from '../dist/src/profiler.js';
import { HttpRequest, HttpResponse } from '../dist/src/index.js';

const [address = 'memory:', wanted = '10000'] = process.argv.slice(2);
const records = Number(wanted);
const perSegment = 1000;
const kinds = 64;
const retention = { records: 2e9, ageMs: 1e11, bytes: 2e13, profilerRecords: 100 };
const store = createStore(address, retention);
const samples = await makeSegments();
const before = (await store.tally()).records;

const cpu = process.cpuUsage();
const start = performance.now();
let number = Math.floor(Date.now() / 100); // of segments: counts on from run to run
for (let made = before; made < records;) {
  const batch = [];
  const { from } = await store.lease(16 * perSegment);
  for (let at = 0; at < 16 && made < records; at++, made += perSegment) {
    const sample = samples[((made / perSegment) % samples.length) | 0];
    const keys = Array.from({ length: perSegment }, (_, index) => from + at * perSegment + index);
    batch.push({ ...sample, number: number++, keys });
  }
  await store.write(batch);
}
const { user, system } = process.cpuUsage(cpu);
const filled = Math.max(1, records - before);
const tally = await store.tally();
say('records', tally.records);
say('bytes a record', (tally.bytes / tally.records).toFixed(0));
if (records > before) {
  say('processor time here, µs a record', ((user + system) / filled).toFixed(1));
  say('records a second while filling', ((filled / (performance.now() - start)) * 1000).toFixed(0));
}

const numbers = (column, ranges) => ({ columns: [column], test: { kind: 'numbers', ranges } });
const texts = (kind, column, ...found) => ({ columns: [column], test: { kind, texts: found } });
const newest = await store.search({ query: {}, limit: 50 });
const middle = await store.search({ query: {}, limit: 1000 });
const searches = {
  'newest 50': { query: {}, limit: 50 },
  'next page': { query: {}, limit: 50, before: newest.next },
  'page 20': { query: {}, limit: 50, before: middle.next },
  'status 500–599': { query: { where: [numbers('status', [[500, 599]])] }, limit: 50 },
  'status 418 (none)': { query: { where: [numbers('status', [[418, 418]])] }, limit: 50 },
  'one route': { query: { where: [texts('is', 'route', 'route_7')] }, limit: 50 },
  'a route that is not there': { query: { where: [texts('is', 'route', 'nowhere')] }, limit: 50 },
  errors: {
    query: { where: [{ columns: ['errorClass'], test: { kind: 'missing' }, isNegated: true }] },
    limit: 50,
  },
  'URL contains (common)': { query: { where: [texts('contains', 'url', 'page=3')] }, limit: 50 },
  'URL contains (nowhere)': { query: { where: [texts('contains', 'url', 'nowhere-at-all')] }, limit: 50 },
  'slower than 95 ms': { query: { where: [numbers('durationMs', [[95, null]])] }, limit: 50 },
  'slowest first': { query: { sort: { column: 'durationMs', isAscending: false } }, limit: 50 },
};
for (const [name, search] of Object.entries(searches))
  await time(name, async () => {
    const { rows, complete } = await store.search(search);
    return `${rows.length} rows${complete ? '' : ', cut at its bound of time'}`;
  });
const counts = {
  'groups by route, within 40 ms': { groupBy: ['route'], withinMs: 40 },
  'groups by route, whole': { groupBy: ['route'], withinMs: 120_000 },
  'groups of errors, within 40 ms': {
    groupBy: ['errorClass', 'errorPlace'],
    where: [{ columns: ['errorClass'], test: { kind: 'missing' }, isNegated: true }],
    withinMs: 40,
  },
};
for (const [name, query] of Object.entries(counts))
  await time(name, async () => {
    const { groups, complete } = (await store.totals?.({ query })) ?? { groups: [], complete: false };
    const counted = groups.reduce((sum, { count }) => sum + count, 0);
    return `${groups.length} groups of ${counted} records${complete ? '' : ', cut'}`;
  });
await time('a record by its key', async () => typeof (await store.find(newest.rows[7].key)));
await store.close();

function say(name, value) {
  console.log(`${name.padEnd(36)} ${value}`);
}

async function time(name, work) {
  const took = [];
  let said = '';
  const rounds = name.includes('whole') ? 2 : 9;
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    said = await work();
    took.push(performance.now() - begun);
  }
  took.sort((a, b) => a - b);
  const [median, longest] = [took[took.length >> 1], took.at(-1)].map((ms) => ms.toFixed(1));
  say(name, `${median.padStart(8)} ms, longest ${longest} ms: ${said}`);
}

/** Segments of requests of fifty routes, as a profiler hands them over. */
async function makeSegments() {
  const made = [];
  const catching = {
    lease: (amount) => ({ secret: '', from: 0, to: amount }),
    write: async (segments) => {
      made.push(...segments);
      return {
        pruned: { count: 0, age: 0, bytes: 0, purge: 0 },
        lost: 0,
        setAside: null,
        renamed: 0,
        records: 0,
        bytes: 0,
      };
    },
    prune: () => catching.write([]),
    tally: () => catching.write([]),
    find: async () => 'missing',
    search: async () => ({ rows: [], next: null, complete: true }),
    close: async () => {},
  };
  const batch = { records: perSegment, weight: Number.POSITIVE_INFINITY, delayMs: 1e6 };
  const profiler = createProfiler({ store: catching, storeName: 'bench', batch });
  for (let index = 0; index < kinds * perSegment; index++) {
    const route = (index * 7919) % 50;
    const request = new HttpRequest({
      method: index % 9 === 0 ? 'POST' : 'GET',
      target: `/route-${route}/article-${index}?page=${index % 20}`,
      rawHeaders: ['Host', 'shop.example', 'User-Agent', 'Mozilla/5.0 (bench)', 'Accept', '*/*'],
      httpVersion: '1.1',
      peer: { address: `10.0.${index % 7}.${index % 200}`, port: 40_000, encrypted: false },
    });
    const recording = profiler.begin(request);
    recording.route({ name: `route_${route}`, path: '/x' }, {});
    const isFailed = index % 97 === 0;
    if (isFailed) recording.error(new TypeError('Cannot read what is not there'));
    const sent = {
      status: isFailed ? 500 : 200,
      headers: ['Content-Type', 'text/html'],
      bodyBytes: 900,
      completed: true,
    };
    profiler.finish(recording, new HttpResponse(null), sent);
    if (index % 200 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await profiler.close();
  return made.filter(({ keys }) => keys.length === perSegment);
}
