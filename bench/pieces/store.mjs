import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../dist/src/index.js';
import { recordOne } from '../harness/recorded-request.mjs';
import { readCpuTime } from '../harness/schedstat.mjs';
import { spreadOf } from '../harness/summarise-pair.mjs';

const perWrite = 8192;

/** How long it takes to write more records, to read one and to list the newest in a file that already has many. */
export async function measure({ isQuick }) {
  const records = isQuick ? 40_000 : 1_000_000;
  const folder = mkdtempSync(join(tmpdir(), 'lookback-bench-'));
  const file = join(folder, 'profiler.db');
  const app = createApp({
    configuration: {
      env: 'dev',
      debug: true,
      profilerStore: `sqlite:${file}`,
      retention: { records: 2_000_000, ageDays: 1000, bytes: 2 ** 36, profilerRecords: 100 },
    },
  });
  const { url } = await app.listen({ port: 0 });
  try {
    const filled = await fill(app.profiler, records);
    const reads = await timeEach(isQuick ? 100 : 500, (index) =>
      readRecord(app.profiler, filled.tokens[(index * 7919) % filled.tokens.length]),
    );
    const lists = await timeEach(30, () => app.profiler.list({ limit: 50 }));
    const pages = await timeEach(30, () => readPage(url, '/_profiler/'));
    const record = await timeEach(30, (index) => readPage(url, `/_profiler/${String(filled.tokens[index])}`));
    const bytes = [file, `${file}-wal`].reduce((sum, path) => sum + sizeOf(path), 0) / records;
    const among = `${records.toLocaleString('en')} stored`;
    return [
      {
        name: 'handing over one record, request thread',
        unit: 'µs',
        spread: filled.mainMicros,
      },
      { name: 'writing one record, all threads', unit: 'µs', spread: filled.allMicros },
      { name: 'record size in the file', unit: 'bytes', spread: spreadOf([bytes]) },
      { name: `read a record by token, ${among}`, unit: 'ms', spread: reads },
      { name: `read the 50 newest, ${among}`, unit: 'ms', spread: lists },
      { name: `list page, ${among}`, unit: 'ms', spread: pages },
      { name: `record page, ${among}`, unit: 'ms', spread: record },
    ];
  } finally {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes records in portions; the times are of the flush after each portion. */
async function fill(profiler, records) {
  const [tokens, mainMicros, allMicros] = [[], [], []];
  for (let made = 0; made < records; made += perWrite) {
    for (let index = 0; index < perWrite; index++) {
      const token = recordOne(profiler);
      if (index % 16 === 0) tokens.push(token);
    }
    const before = readCpuTime(process.pid);
    const start = performance.now();
    await profiler.flush();
    const clock = (performance.now() - start) * 1e6;
    const after = readCpuTime(process.pid);
    mainMicros.push((before === undefined ? clock : after.main - before.main) / 1000 / perWrite);
    allMicros.push((before === undefined ? clock : after.all - before.all) / 1000 / perWrite);
  }
  return { tokens, mainMicros: spreadOf(mainMicros), allMicros: spreadOf(allMicros) };
}

async function timeEach(times, work) {
  const took = [];
  for (let index = 0; index < times; index++) {
    const start = performance.now();
    await work(index);
    took.push(performance.now() - start);
  }
  return spreadOf(took);
}

async function readRecord(profiler, token) {
  const { kind } = await profiler.find(token);
  if (kind !== 'found') throw new Error(`The record ${token} is ${kind}.`);
}

async function readPage(url, path) {
  const response = await fetch(url + path);
  if (response.status !== 200) throw new Error(`${path} returned ${response.status}.`);
  return response.text();
}

function sizeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
