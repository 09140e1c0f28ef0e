// npm run bench:routing [-- --rounds 15 --sizes 100,1000,10000 --compiles 5] Nanoseconds of CPU time per match, as the median of
// interleaved rounds. Every call gets a new string: V8 caches a string's hash, so a repeated string would favour routers that hash it.
// Compiling is timed in separate processes.
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createThreadClock } from '../harness/thread-clock.mjs';
import { createRandom, createRouteSet, fillPath } from './route-set.mjs';
import { readAnswer, routers } from './routers.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    batch: { type: 'string', default: '3000' },
    sizes: { type: 'string', default: '100,1000,10000' },
    compiles: { type: 'string', default: '5' },
    only: { type: 'string' },
  },
});
const random = createRandom(7);
const readClock = createThreadClock();
const warmUp = 20;
const names = Object.keys(routers).filter(
  (name) => options.only === undefined || options.only.split(',').includes(name),
);
console.log(
  `Node ${process.version}, ${cpus()[0]?.model ?? '?'}, ${cpus().length} cores. ns per match, median; × = share of the fastest other router's speed.\n`,
);

for (const size of options.sizes.split(',').map(Number)) {
  const routes = createRouteSet(size);
  const built = new Map();
  for (const name of names) built.set(name, routers[name](routes));
  const cases = createCases(routes);
  const rows = cases.map((one) => measureCase(one, built));
  report(size, cases, rows, measureCompiling(size));
}

/** The requests, and their expected results. */
function createCases(routes) {
  const gets = routes.filter(({ method }) => method === 'GET');
  const statics = gets.filter(({ path }) => !path.includes('{') && path.lastIndexOf('/') > 0);
  const dynamics = gets.filter(({ path }) => path.includes('{'));
  const posts = routes.filter(({ method, path }) => method === 'DELETE' && path.endsWith('{tag}'));
  const pick = (list) => list[Math.floor(random() * list.length)];
  return [
    ['static first', 'GET', () => statics[0].path, true],
    ['static last', 'GET', () => statics.at(-1).path, true],
    ['static any', 'GET', () => pick(statics).path, true],
    ['dynamic first', 'GET', () => fillPath(dynamics[0].path, random), true],
    ['dynamic last', 'GET', () => fillPath(dynamics.at(-1).path, random), true],
    ['dynamic any', 'GET', () => fillPath(pick(dynamics).path, random), true],
    ['missing early', 'GET', () => fillPath('/{word}/{word}', random), false],
    ['missing late', 'GET', () => fillPath(`${pick(dynamics).path}/{word}/{word}/{word}`, random), false],
    ['wrong method', 'PATCH', () => fillPath(pick(posts).path, random), false],
    ['hostile 8 KiB', 'GET', () => `${fillPath(pick(dynamics).path, random)}${'/a'.repeat(4096)}`, false],
  ].map(([title, method, makePath, hit]) => ({ title, method, makePath, hit }));
}

function measureCase({ method, makePath, hit, title }, built) {
  const batch = title.startsWith('hostile') ? 200 : Number(options.batch);
  const times = new Map([...built.keys()].map((name) => [name, []]));
  for (let round = 0; round < Number(options.rounds) + warmUp; round += 1) {
    const paths = Array.from({ length: batch }, makePath).map((path) => Buffer.from(path));
    for (const [name, find] of shuffled([...built])) {
      const fresh = paths.map((bytes) => bytes.toString('latin1'));
      checkOnce(name, find(method, paths[0].toString('latin1')), hit);
      const spent = timeBatch(find, method, fresh);
      if (round >= warmUp) times.get(name).push(spent);
    }
  }
  return new Map([...times].map(([name, list]) => [name, median(list)]));
}

/** For each router, the median cost of the first compilation in a process, and of a warm one. */
function measureCompiling(size) {
  const file = fileURLToPath(new URL('compile-once.mjs', import.meta.url));
  const runs = new Map(names.map((name) => [name, []]));
  for (let round = 0; round < Number(options.compiles); round += 1) {
    for (const [name] of shuffled([...runs]))
      runs
        .get(name)
        .push(JSON.parse(execFileSync(process.execPath, [file, name, String(size)], { encoding: 'utf8' })));
  }
  return [
    ['compile cold, ms', ({ cold }) => cold.wall],
    ['compile cold, CPU ms', ({ cold }) => cold.main],
    ['compile warm, CPU ms', ({ warm }) => warm.main],
  ].map(([title, read]) => ({
    title,
    times: new Map([...runs].map(([name, list]) => [name, median(list.map(read))])),
  }));
}

/** Nanoseconds per request; the hits are counted so that no result is optimised away. */
function timeBatch(find, method, paths) {
  const start = readClock();
  let hits = 0;
  for (const path of paths) if (find(method, path)) hits += 1;
  const spent = (readClock() - start) / paths.length;
  if (hits > paths.length) throw new Error('more hits than requests');
  return spent;
}

function checkOnce(name, answer, hit) {
  const values = readAnswer(name, answer);
  if ((values !== undefined) !== hit)
    throw new Error(`${name} returns a wrong result: ${JSON.stringify(values)}`);
}

function report(size, cases, rows, compiling) {
  const shown = names.filter((name) => rows[0].has(name));
  const table = [
    ['routes', 'request', ...shown, '×'],
    ['--:', '---', ...shown.map(() => '--:'), '--:'],
  ];
  for (const [index, { title }] of cases.entries()) {
    const row = rows[index];
    const others = shown.filter((name) => name !== 'lookback').map((name) => row.get(name));
    const share = Math.min(...others) / (row.get('lookback') ?? NaN);
    table.push([size, title, ...shown.map((name) => Math.round(row.get(name))), share.toFixed(2)]);
  }
  for (const { title, times } of compiling)
    table.push([size, title, ...shown.map((name) => times.get(name).toFixed(1)), '']);
  console.log(table.map((cells) => `| ${cells.join(' | ')} |`).join('\n'), '\n');
}

function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function shuffled(list) {
  return list
    .map((one) => [random(), one])
    .sort((a, b) => a[0] - b[0])
    .map(([, one]) => one);
}
