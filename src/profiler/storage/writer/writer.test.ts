import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { FinishedRecord, RecordStore, StoreAnswer, StoreWrite } from '../tables/record-store.js';
import { openStore } from '../tables/open-store.js';
import { tokenOf } from '../../encoding/token.js';
import { RecordEncoder } from '../../encoding/record-format.js';
import type { ProcessSample, EncodedRecord } from '../../encoding/encoded-record.js';
import type { Batch } from '../../recording/batch-buffer.js';
import { loadConverter } from './load-converter.js';
import { Writer } from './writer.js';
import type { WriterCounts } from './writer-options.js';

const raw: EncodedRecord = {
  id: 1,
  sequence: 1,
  origin: 'app',
  startedAt: 1_700_000_000_000,
  end: 10,
  method: 'GET',
  target: '/hello?password=hunter2',
  baseUrl: 'http://a.test',
  peer: ['', 0],
  facts: [],
  received: { names: 'Host\nAuthorization', values: ['a.test', 'Bearer s3cr3tToken'] },
  answered: '',
  spans: [],
  sections: [],
};
const sample: ProcessSample = {
  runtime: {
    memory: { rss: 1, heapUsed: 1, heapTotal: 1, external: 1 },
    eventLoop: { meanDelayMs: 0, maxDelayMs: 0, utilization: 0 },
  },
  at: 0,
  epoch: 0,
};

/** A batch of records with ids from `first` on. */
function batchOf(first: number, records: number, isUrgent = false, target = raw.target): Batch {
  const lines = new RecordEncoder();
  for (let id = first; id < first + records; id++) lines.add({ ...raw, id, sequence: id, target });
  const greatest = first + records - 1;
  return {
    origin: 'app',
    records,
    data: lines.take(),
    sample,
    least: first,
    greatest,
    isUrgent,
    isNotable: isUrgent,
    spentMs: 1,
  };
}

const opened: Writer[] = [];
afterEach(async () => {
  for (const writer of opened.splice(0)) await writer.close();
});

/** Waits until something arrives, for at most a thousand loop turns. */
async function arrivalOf(list: readonly unknown[]): Promise<void> {
  for (let turn = 0; turn < 1000 && list.length === 0; turn++)
    await new Promise((resolve) => setImmediate(resolve));
}

/** A writer with an in-memory store that records its input, and fails as often as requested. */
function benchOf(retention = 1000): {
  writer: Writer;
  written: FinishedRecord[][];
  fail: (times: number) => void;
  counts: () => WriterCounts;
  /** Called while the store appends. */
  during: { append: () => void };
  /** Awaited when the store is opened. */
  opening: { ready: Promise<void> };
  /** The counts it reported. */
  said: WriterCounts[];
  reserved: number[];
  /** Awaited when ids are reserved. */
  disk: { ready: Promise<void> };
} {
  const inner = openStore('memory:', { retention: { records: retention } });
  const written: FinishedRecord[][] = [];
  const reserved: number[] = [];
  const during = { append: (): void => undefined };
  const disk = { ready: Promise.resolve() };
  const opening = { ready: Promise.resolve() };
  const said: WriterCounts[] = [];
  let failures = 0;
  const store: RecordStore = {
    async append(write: StoreWrite): Promise<StoreAnswer> {
      if (failures-- > 0) throw new Error('The store is away.');
      if (write.records.length > 0) written.push([...write.records]);
      if (write.reserve !== undefined) await disk.ready;
      during.append();
      return inner.append(write);
    },
    find: (id) => inner.find(id),
    list: (search) => (failures > 0 ? Promise.reject(new Error('away')) : inner.list(search)),
    totals: (query) => inner.totals(query),
    update: (target, change) => inner.update(target, change),
    close: () => inner.close(),
  };
  const writer = new Writer({
    open: () => opening.ready.then(() => store),
    retention: { records: retention, profilerRecords: 100 },
    kinds: [],
    loadConverter,
    retryMs: 1,
    events: {
      wrote: (now) => void said.push(now),
      reserved: (from, to) => void reserved.push(to - from),
      failed: (error) => assert.fail(String(error)),
    },
  });
  opened.push(writer);
  const settings = {
    redaction: {},
    config: {},
    limits: { requestBody: 100, responseBody: 100 },
  };
  writer.addSource(1, settings);
  const fail = (times: number): void => void (failures = times);
  return { writer, written, fail, counts: () => writer.counts(), during, opening, said, reserved, disk };
}

function gate(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** Every received record is accounted for. */
function checkAccounts({ stored, pruned, dropped, waiting }: WriterCounts, received: number): void {
  const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  assert.equal(stored + pruned + lost + waiting, received);
}

/** Works for this many milliseconds. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe('a writer', () => {
  it('writes waiting batches with failed requests together', async () => {
    const { writer, written, counts } = benchOf();
    for (const first of [1, 11, 21]) writer.add(batchOf(first, 2, true), 1);
    await writer.flush();
    assert.deepEqual(
      written.map((records) => records.map(({ record }) => record.sequence)),
      [[1, 2, 11, 12, 21, 22]],
    );
    checkAccounts(counts(), 6);
  });

  it('keeps all batches that could not be written together', async () => {
    const { writer, written, fail, counts } = benchOf();
    fail(1);
    for (const first of [1, 11]) writer.add(batchOf(first, 2, true), 1);
    await writer.flush();
    assert.equal(counts().waiting, 4);
    await writer.flush();
    assert.deepEqual(
      written.map((records) => records.map(({ record }) => record.sequence)),
      [[1, 2, 11, 12]],
    );
    checkAccounts(counts(), 4);
  });

  it("looks up another process's record while it writes", async () => {
    const inner = openStore('memory:');
    const { promise: isReleased, resolve: release } = gate();
    const store: RecordStore = {
      append: async (write) => {
        await isReleased;
        return inner.append(write);
      },
      find: (id) => inner.find(id),
      list: (search) => inner.list(search),
      totals: (query) => inner.totals(query),
      update: (target, change) => inner.update(target, change),
      close: () => inner.close(),
    };
    const ignored = (): void => undefined;
    const writer = new Writer({
      open: () => store,
      retention: { records: 100, profilerRecords: 100 },
      kinds: [],
      loadConverter,
      events: { wrote: ignored, reserved: ignored, failed: ignored },
    });
    opened.push(writer);
    writer.add(batchOf(1, 2, true), 1);
    try {
      assert.equal((await writer.find(6_000_000)).kind, 'never');
    } finally {
      release();
    }
  });

  it('writes a batch with a failed request before earlier ones', async () => {
    const { writer, written } = benchOf();
    writer.add(batchOf(1, 3), 1);
    writer.add(batchOf(4, 3), 1);
    writer.add(batchOf(7, 1, true), 1);
    await writer.flush();
    assert.deepEqual(
      written.flat().map(({ record }) => record.sequence),
      [7, 1, 2, 3, 4, 5, 6],
    );
  });

  it('answers a question even though batches with failed requests keep coming', async () => {
    const { writer, written, during } = benchOf();
    for (const first of [1, 4, 7]) writer.add(batchOf(first, 3), 1);
    let next = 10;
    during.append = () => {
      if (next < 200) writer.add(batchOf(next++, 1, true), 1);
    };
    writer.add(batchOf(next++, 1, true), 1);
    await writer.flush();
    assert.ok(written.length <= 8, `answered after ${written.length} writes`);
    const sequences = written.flat().map(({ record }) => record.sequence);
    assert.deepEqual(
      [1, 9].map((sequence) => sequences.includes(sequence)),
      [true, true],
    );
  });

  it('writes what it received before a question, and answers it from the store', async () => {
    const { writer, counts } = benchOf();
    for (let first = 1; first <= 100; first += 10) writer.add(batchOf(first, 10), 1);
    const { rows } = await writer.list({ query: {}, limit: 1000 });
    assert.equal(rows.length, 100);
    assert.deepEqual([counts().waiting, counts().stored], [0, 100]);
  });

  it("writes records while requested ids wait for the server's disk", async () => {
    const { writer, written, reserved, disk } = benchOf();
    let release = (): void => undefined;
    disk.ready = new Promise((resolve) => (release = resolve));
    writer.reserve(8);
    writer.add(batchOf(1, 1, true), 1);
    await writer.flush();
    assert.deepEqual([written.length, reserved], [1, []]);
    release();
    await arrivalOf(reserved);
    assert.deepEqual(reserved, [8]);
  });

  it('reserves ids requested while it was writing something else', async () => {
    const { writer, during, reserved } = benchOf();
    during.append = () => {
      during.append = () => undefined;
      writer.reserve(8);
    };
    writer.add(batchOf(1, 1), 1);
    await writer.flush();
    await arrivalOf(reserved);
    assert.deepEqual(reserved, [8]);
  });

  it('works a tenth of each half second while no one reads: little work does not wait, more does, until someone reads', async () => {
    const { writer, written, during } = benchOf();
    writer.add(batchOf(100, 1), 1);
    await writer.flush(); // compiles the code under test
    const begun: number[] = [];
    let worked = 0;
    const added = performance.now();
    const third = new Promise<void>((resolve) => {
      during.append = () => {
        if (begun.push(performance.now()) === 3) resolve();
        work(40);
        if (begun.length === 1) worked = performance.now() - added;
      };
    });
    for (let id = 1; id <= 4; id++) writer.add(batchOf(id, 1), 1);
    await third;
    const [first = 0, second = 0, next = 0] = begun;
    assert.ok(
      second - first < 9 * worked,
      `the second one waited ${second - first} ms, after ${worked} of work`,
    );
    assert.ok(next - first >= 300, `the third one began after ${next - first} ms`);
    const asked = performance.now();
    await writer.flush();
    assert.equal(written.length, 5);
    assert.ok(performance.now() - asked < 9 * worked, `the reader waited ${performance.now() - asked} ms`);
  });

  it('rests for at most a second, no matter how long the work took, since it may have waited for a processor', async () => {
    const { writer, during } = benchOf();
    let ended = 0;
    const rest = new Promise<number>((resolve) => {
      during.append = () => {
        if (ended > 0) resolve(performance.now() - ended);
        work(300);
        ended = performance.now();
      };
    });
    for (const first of [1, 200]) writer.add(batchOf(first, 128), 1);
    const ms = await rest;
    assert.ok(ms > 500 && ms < 2000, `a tenth of the time would be 2.5 s, and it rested ${ms} ms`);
  });

  it('ends its rest for a batch with a failed request', async () => {
    const { writer, written, during } = benchOf();
    writer.add(batchOf(100, 1), 1);
    await writer.flush(); // compiles the code under test
    during.append = () => {
      work(100);
    };
    const arrived = async (id: number): Promise<void> => {
      while (!written.flat().some(({ record }) => record.token === tokenOf(id)))
        await new Promise((resolve) => setImmediate(resolve));
    };
    for (let id = 1; id <= 3; id++) writer.add(batchOf(id, 1), 1);
    await arrived(2);
    during.append = () => undefined;
    const begun = performance.now();
    writer.add(batchOf(50, 1, true), 1);
    await arrived(50);
    const ms = performance.now() - begun;
    assert.ok(ms < 700, `${ms} ms, and it had to rest for a second`);
  });

  it('writes a batch with a slow request before others, but still rests: if all were slow, it would never rest', async () => {
    const { writer, written, during } = benchOf();
    const begun: number[] = [];
    const all = new Promise<void>((resolve) => {
      during.append = () => {
        if (begun.push(performance.now()) === 4) resolve();
        work(60);
      };
    });
    writer.add(batchOf(1, 1), 1);
    for (const first of [100, 200, 300]) writer.add({ ...batchOf(first, 64), isNotable: true }, 1);
    await all;
    await writer.flush();
    assert.deepEqual(
      written.map(([first]) => first?.record.sequence),
      [100, 200, 300, 1],
    );
    const ms = (begun[3] ?? 0) - (begun[0] ?? 0);
    assert.ok(ms >= 1000, `four writes of 60 ms began within ${ms} ms`);
  });

  it('does not convert records that the retention would remove before anyone reads them', async () => {
    const { writer, written, counts } = benchOf(100);
    for (let first = 1; first <= 1000; first += 50) writer.add(batchOf(first, 50), 1);
    assert.ok(counts().waiting <= 150);
    checkAccounts(counts(), 1000);
    await writer.flush();
    checkAccounts(counts(), 1000);
    assert.ok(written.flat().length <= 150);
    assert.equal((await writer.list({ query: {}, limit: 1000 })).rows.length, 100);
    assert.deepEqual(await writer.find(1), { kind: 'pruned', by: 'count' });
  });

  it('keeps what a failing store does not accept, serves readers from it, and writes it later, once', async () => {
    const { writer, written, fail, counts } = benchOf();
    fail(1_000_000);
    writer.add(batchOf(1, 5), 1);
    await writer.flush();
    checkAccounts(counts(), 5);
    assert.equal(counts().waiting, 5);
    const { rows, complete } = await writer.list({ query: {}, limit: 10 });
    assert.deepEqual([rows.length, complete], [5, false]);
    const found = await writer.find(3);
    assert.equal(found.kind === 'found' ? found.record.token : found.kind, tokenOf(3));
    fail(0);
    await writer.flush();
    assert.deepEqual([written.flat().length, counts().stored, counts().waiting], [5, 5, 0]);
    checkAccounts(counts(), 5);
  });

  it('reports what it drops at once, even if its store hangs', async () => {
    const { writer, counts, opening, said } = benchOf();
    const opened = gate();
    opening.ready = opened.promise;
    const large = `/${'x'.repeat(2 ** 20)}`;
    for (let first = 1; first <= 80; first += 2) writer.add(batchOf(first, 2, false, large), 1);
    assert.ok(counts().dropped['queue-full'] > 0);
    assert.deepEqual(said.at(-1)?.dropped, counts().dropped);
    checkAccounts(counts(), 80);
    opened.resolve();
    await writer.flush();
    checkAccounts(counts(), 80);
  });

  it('lists requests in flight before the stored ones, and loses none of these to paging', async () => {
    const { writer } = benchOf();
    writer.add(batchOf(1, 5), 1);
    const open = [90, 80].map((id) => ({ batch: batchOf(id, 1), source: 1 }));
    const tokens: string[][] = [];
    let before: string | undefined;
    do {
      const search = { query: {}, limit: 2, ...(before === undefined ? {} : { before }) };
      const page = await writer.list(search, before === undefined ? open : []);
      tokens.push(page.rows.map(({ token }) => token));
      before = page.next ?? undefined;
    } while (before !== undefined);
    assert.deepEqual(
      tokens,
      [
        [90, 5],
        [4, 3],
        [2, 1],
      ].map((ids) => ids.map(tokenOf)),
    );
    const newest = await writer.list({ query: {}, limit: 1 }, open);
    assert.deepEqual(
      newest.rows.map(({ token }) => token),
      [tokenOf(5)],
      'the newest finished record',
    );
  });

  it("writes a closed application's waiting batches, and accepts no more from it", async () => {
    const { writer, counts } = benchOf();
    writer.add(batchOf(1, 2), 1);
    writer.removeSource(1);
    writer.add(batchOf(5, 3), 1);
    await writer.flush();
    assert.deepEqual([counts().stored, counts().dropped.unrecordable], [2, 0]);
  });

  it('counts a malformed record, and writes its neighbours', async () => {
    const { writer, counts } = benchOf();
    const failed: unknown[] = [];
    const events = {
      wrote() {},
      reserved() {},
      finished() {},
      failed: (error: unknown) => failed.push(error),
    };
    const other = new Writer({
      open: () => openStore('memory:'),
      retention: { records: 10, profilerRecords: 10 },
      kinds: [],
      loadConverter,
      events: { ...events, failed: (error) => void events.failed(error) },
    });
    opened.push(other);
    const settings = {
      redaction: {},
      config: {},
      limits: { requestBody: 1, responseBody: 1 },
      hasSinks: false,
    };
    other.addSource(1, settings);
    const batch = batchOf(1, 2);
    const broken = Uint8Array.of(12, 0, 0, 0, 4, 0, 0, 0, 1, 1, 1, 255); // its fourth number is cut off
    other.add({ ...batch, records: 3, data: Buffer.concat([broken, batch.data]) }, 1);
    await other.flush();
    assert.deepEqual([other.counts().stored, other.counts().dropped.unrecordable, failed.length], [2, 1, 1]);
    assert.equal(counts().stored, 0);
    await writer.flush();
  });

  it('keeps batches until the code that converts them can be loaded, and reports why it could not', async () => {
    const failed: unknown[] = [];
    const ignored = (): void => undefined;
    let attempts = 0;
    const writer = new Writer({
      open: () => openStore('memory:'),
      retention: { records: 10, profilerRecords: 10 },
      kinds: [],
      loadConverter: () => (++attempts === 1 ? Promise.reject(new Error('no file')) : loadConverter()),
      retryMs: 1,
      events: { wrote: ignored, reserved: ignored, failed: (error) => void failed.push(error) },
    });
    opened.push(writer);
    writer.addSource(1, { redaction: {}, config: {}, limits: { requestBody: 1, responseBody: 1 } });
    writer.add(batchOf(1, 2), 1);
    await writer.flush();
    assert.deepEqual([writer.counts().stored, writer.counts().waiting], [0, 2]);
    await writer.flush();
    assert.deepEqual([writer.counts().stored, writer.counts().waiting], [2, 0]);
    assert.deepEqual(failed.map(String), ['Error: no file']);
  });

  it('loads the code that converts records with the first record, not to reserve ids', async () => {
    let isLoaded = false;
    const reserved: number[] = [];
    const ignored = (): void => undefined;
    const writer = new Writer({
      open: () => openStore('memory:'),
      retention: { records: 10, profilerRecords: 10 },
      kinds: [],
      loadConverter: () => {
        isLoaded = true;
        return loadConverter();
      },
      events: { wrote: ignored, reserved: (from, to) => void reserved.push(to - from), failed: ignored },
    });
    opened.push(writer);
    writer.addSource(1, { redaction: {}, config: {}, limits: { requestBody: 1, responseBody: 1 } });
    writer.reserve(5);
    await arrivalOf(reserved);
    assert.deepEqual([reserved, isLoaded], [[5], false]);
    writer.add(batchOf(1, 1), 1);
    await writer.flush();
    assert.ok(isLoaded);
  });

  it('leaks no secret: neither the rows nor the records contain the raw data', async () => {
    const { writer, written } = benchOf();
    writer.add(batchOf(1, 2), 1);
    await writer.flush();
    assert.equal(written.flat().length, 2);
    assert.doesNotMatch(JSON.stringify(written), /hunter2|s3cr3tToken/);
  });

  it('adds amendments to the record, whether it waits or is stored', async () => {
    const { writer } = benchOf();
    const log = { time: 1, offsetMs: 1, level: 'warning', channel: 'app', message: 'late' };
    writer.add(batchOf(1, 2), 1);
    writer.addLate(1, { logs: [log] });
    await writer.flush();
    writer.addLate(2, { logs: [log] });
    for (const id of [1, 2]) {
      const found = await writer.find(id);
      assert.ok(found.kind === 'found');
      assert.deepEqual(
        found.record.logs.map(({ message }) => message),
        ['late'],
      );
    }
  });
});
