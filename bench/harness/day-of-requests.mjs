// One day of a shop's requests, as a profiler passes them to a store. Seeded, so that two runs store the same data.
import { summaryOf } from '../../dist/src/profiler/model/profile-summary.js';
import { tokenOf } from '../../dist/src/profiler/encoding/token.js';

const dayMs = 86_400_000;
const routes = 50;
const users = 5000;
/** The end of the day, in milliseconds. */
export const dayEnd = Date.now();

const failures = Array.from({ length: 12 }, (_, index) => ({
  errorClass: ['TypeError', 'RangeError', 'PaymentError'][index % 3],
  errorLocation: `src/shop/step-${index}.ts:${10 + index}`,
  exception: `Cannot finish step ${index}`,
}));

/** `count` finished records, oldest first, with ids from `firstId`. */
export function* daysRecords({ records, firstId }) {
  const random = randomOf(records);
  for (let index = 0; index < records; index++) {
    const row = rowOf(index, { records, random });
    const record = recordOf(row, tokenOf(firstId + index));
    yield { record, summary: { ...summaryOf(record, row.numbers), ...row.facts } };
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
  const breakdown = { framework: 0, app: durationMs / 2, database: queries, http: 0, rendering: 1 };
  return {
    sequence: index,
    startedAt: dayEnd - dayMs + Math.round((index / records) * dayMs * 1000) / 1000,
    durationMs,
    state: random() < 0.001 ? 'aborted' : 'complete',
    method: random() < 0.15 ? 'POST' : 'GET',
    target: `/shop/route-${route}/article-${id}?page=${index % 20}`,
    status,
    clientAddress: `10.${Math.floor(random() * 4)}.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`,
    route: status === 404 ? null : `shop_route_${route}`,
    user: isAnonymous ? null : `customer-${Math.floor(random() * users)}@shop.example`,
    facts: { breakdown, ...(isFailed ? failures[Math.floor(random() * failures.length)] : {}) },
    isFailed,
    numbers: { 'db.queries': queries, 'db.durationMs': queries, 'db.repeated': random() < 0.02 ? 1 : 0 },
  };
}

/** A record with about 1,500 bytes of JSON. */
function recordOf({ target, method, status, route, user, clientAddress, isFailed, ...row }, token) {
  const peer = { address: clientAddress, port: 40_000 };
  const [path] = target.split('?');
  return {
    schema: 3,
    token,
    sequence: row.sequence,
    origin: 'app',
    startedAt: row.startedAt,
    durationMs: row.durationMs,
    state: row.state,
    request: {
      method,
      url: `https://shop.example${target}`,
      target,
      path,
      httpVersion: '1.1',
      scheme: 'https',
      host: 'shop.example',
      clientAddress,
      peer,
      cookies: [],
      query: [['page', target.split('=')[1]]],
      headers: [
        ['Host', 'shop.example'],
        ['User-Agent', 'Mozilla/5.0 (bench)'],
        ['Accept', '*/*'],
      ],
      body: null,
      parsed: null,
      locale: 'en',
      user,
    },
    response: {
      status,
      headers: [['Content-Type', 'text/html']],
      cookies: [],
      bodyBytes: 900,
      body: null,
      completed: true,
    },
    route: { name: route, path: '/shop/{route}/{article}', parameters: [], trace: null, allow: [] },
    controller: null,
    events: [],
    logs: [],
    logTotals: {
      total: 3,
      omitted: 3,
      omittedAfter: 0,
      byLevel: isFailed ? { info: 2, error: 1 } : { info: 3 },
    },
    exception: null,
    timeline: [
      { name: 'routing', category: 'stage', startMs: 0.1, durationMs: 0.2 },
      { name: 'controller', category: 'controller', startMs: 0.4, durationMs: row.durationMs / 2 },
    ],
    runtime: {
      memory: { rss: 90_000_000, heapUsed: 30_000_000, heapTotal: 50_000_000, external: 3_000_000 },
      eventLoop: { meanDelayMs: 0.1, maxDelayMs: 1.2, utilization: 0.3 },
      sampledMsAgo: row.sequence % 1000,
    },
    config: { instance: 'bench:1', version: '1.0.0', environment: 'production' },
    sections: { db: { queries: [] } },
    limits: [],
    cost: { recordMs: 0.1, bytes: 1500 },
  };
}

/** Seeded random numbers in [0, 1): mulberry32. */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
