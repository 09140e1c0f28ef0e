// A day of requests of a shop, as a profiler hands them over to a store: seeded, so that two runs store the same.
import { createProfiler, openArchive } from '../../dist/src/profiler.js';
import { baseColumns } from '../../dist/src/profiler/form/summary-columns.js';
import { SummaryWriter } from '../../dist/src/profiler/form/summary-writer.js';
import { HttpRequest, HttpResponse } from '../../dist/src/index.js';

const dayMs = 86_400_000;
const routes = 50;
const users = 5000;
/** The end of the day that all records are of. */
export const dayEnd = Date.now();

const failures = Array.from({ length: 12 }, (_, index) => ({
  errorClass: ['TypeError', 'RangeError', 'PaymentError'][index % 3],
  errorPlace: `src/shop/step-${index}.ts:${10 + index}`,
  exception: `Cannot finish step ${index}`,
}));

/** Segments of so many records in all, oldest first, without their keys and numbers. */
export async function* daysSegments({ records, perSegment }) {
  const body = await bodyOf(perSegment);
  const columns = await allColumns();
  const random = randomOf(records);
  for (let made = 0; made < records; made += perSegment) {
    const writer = new SummaryWriter(columns);
    let [startedAt, closedAt] = [Number.POSITIVE_INFINITY, 0];
    for (let index = made; index < made + perSegment; index++) {
      const row = rowOf(index, { records, random });
      writer.add(row);
      startedAt = Math.min(startedAt, row.startedAt);
      closedAt = Math.max(closedAt, row.startedAt + row.durationMs);
    }
    yield { bucket: 'app', startedAt, closedAt, ...writer.seal('app'), body };
  }
}

function rowOf(index, { records, random }) {
  const route = Math.floor(random() ** 2 * routes);
  const isFailed = random() < 0.01;
  const status = isFailed ? 500 : random() < 0.05 ? 404 : random() < 0.1 ? 302 : 200;
  const durationMs = 2 + Math.round(-Math.log(1 - random()) * (20 + route) * 1e4) / 1e4;
  const queries = Math.floor(random() * 12);
  const isAnonymous = random() < 0.5;
  const id = Math.floor(random() * records);
  return {
    sequence: index,
    startedAt: dayEnd - dayMs + Math.round((index / records) * dayMs * 1000) / 1000,
    durationMs,
    appMs: durationMs / 2,
    databaseMs: queries,
    httpMs: 0,
    renderingMs: 1,
    state: random() < 0.001 ? 'aborted' : 'complete',
    method: random() < 0.15 ? 'POST' : 'GET',
    origin: 'https://shop.example',
    target: `/shop/route-${route}/article-${id}?page=${index % 20}`,
    status,
    clientAddress: `10.${Math.floor(random() * 4)}.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`,
    route: status === 404 ? null : `shop_route_${route}`,
    user: isAnonymous ? null : `customer-${Math.floor(random() * users)}@shop.example`,
    parent: null,
    trace: null,
    visitor: null,
    exception: null,
    errorClass: null,
    errorPlace: null,
    ...(isFailed ? failures[Math.floor(random() * failures.length)] : {}),
    logs: 3,
    warnings: isFailed ? 1 : 0,
    errors: isFailed ? 1 : 0,
    'db.queries': queries,
    'db.durationMs': queries,
    'db.repeated': random() < 0.02 ? 1 : 0,
  };
}

async function allColumns() {
  const { collected } = await openArchive([], 'bench');
  const own = baseColumns.map((column) => (column.kind === 'same' ? { ...column, value: 'bench' } : column));
  return [...own, ...collected.map(({ column, kind }) => ({ name: column, kind }))];
}

/** The records themselves, of which no list reads any: those of one segment stand for all. */
async function bodyOf(perSegment) {
  let body;
  const tally = {
    pruned: { count: 0, age: 0, bytes: 0, purge: 0 },
    lost: 0,
    setAside: null,
    renamed: 0,
    records: 0,
    bytes: 0,
  };
  const catching = {
    lease: (amount) => ({ secret: '', from: 0, to: amount }),
    write: async ([segment]) => {
      body ??= segment?.body;
      return tally;
    },
    prune: async () => tally,
    tally: async () => tally,
    find: async () => 'missing',
    search: async () => ({ rows: [], next: null, complete: true }),
    close: async () => {},
  };
  const batch = { records: perSegment, weight: Number.POSITIVE_INFINITY, delayMs: 1e6 };
  const profiler = createProfiler({ store: catching, storeName: 'bench', batch });
  for (let index = 0; index < perSegment; index++) {
    const request = new HttpRequest({
      method: 'GET',
      target: `/shop/article-${index}`,
      rawHeaders: ['Host', 'shop.example', 'User-Agent', 'Mozilla/5.0 (bench)', 'Accept', '*/*'],
      httpVersion: '1.1',
      peer: { address: `10.0.${index % 7}.${index % 200}`, port: 40_000, encrypted: false },
    });
    const recording = profiler.begin(request);
    recording.route({ name: `shop_route_${index % routes}`, path: '/x' }, {});
    const sent = { status: 200, headers: ['Content-Type', 'text/html'], bodyBytes: 900, completed: true };
    profiler.finish(recording, new HttpResponse(null), sent);
  }
  await profiler.close();
  return body;
}

/** Numbers in [0, 1) that a seed decides: mulberry32. */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
