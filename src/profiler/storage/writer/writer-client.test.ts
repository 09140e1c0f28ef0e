import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Worker } from 'node:worker_threads';
import type { StoreState } from '../../model/profiler.js';
import { openStore } from '../tables/open-store.js';
import { storeErrors } from '../tables/store-errors.js';
import { StoreWatch, within, WriterClient } from './writer-client.js';

describe('waiting with a timeout', () => {
  it('ends with the work, whatever its result, or with the timeout', async () => {
    const begun = performance.now();
    await within(60_000, Promise.resolve());
    await within(60_000, Promise.reject(new Error('broken')));
    await within(0, new Promise(() => {}));
    assert.ok(performance.now() - begun < 30_000, 'finished work does not wait for its timeout');
  });
});

const retention = { records: 100, failures: 10, profilerRecords: 10, ageDays: 1, bytes: 1e9 };
const source: Parameters<WriterClient['add']>[0] = {
  settings: { redaction: {}, config: {}, limits: { requestBody: 1, responseBody: 1 } },
  made: () => 0,
  unrecordable: () => 0,
  onState: undefined,
  failed: (error) => assert.fail(String(error)),
};

describe('a writer client', () => {
  it('retains nothing from a closed application while others stay', async () => {
    const client = WriterClient.of(openStore('memory:'), retention);
    const addOne = (): { number: number; config: WeakRef<object> } => {
      const config = { own: 'x' };
      const number = client.add({ ...source, settings: { ...source.settings, config } });
      return { number, config: new WeakRef(config) };
    };
    const [stays, closed] = [addOne(), addOne()];
    await client.release(closed.number);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void; // V8's own
    for (let turn = 0; turn < 50 && closed.config.deref() !== undefined; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    assert.deepEqual([closed.config.deref(), stays.config.deref()], [undefined, { own: 'x' }]);
    await client.release(stays.number);
  });

  it('releases the store with the last of its applications, even if they leave at the same time', async () => {
    const store = openStore('memory:');
    const { close } = store;
    let closed = 0;
    store.close = () => {
      closed++;
      return close.call(store);
    };
    const client = WriterClient.of(store, retention);
    const numbers = [1, 2, 3].map(() => client.add(source));
    await client.ask('totals', {}); // opens it
    await client.release(numbers[0] ?? 0);
    assert.equal(closed, 0);
    await Promise.all(numbers.slice(1).map((number) => client.release(number)));
    assert.equal(closed, 1);
    assert.equal(client.state().status, 'closed');
  });

  it('counts what its applications made, including closed ones; records not stored at the end count as not written', async () => {
    const client = WriterClient.of(openStore('memory:'), retention);
    const made = { first: 5, second: 7 };
    const first = client.add({ ...source, made: () => made.first, unrecordable: () => 2 });
    const second = client.add({ ...source, made: () => made.second, unrecordable: () => 1 });
    assert.deepEqual(client.counts(), {
      made: 12,
      stored: 0,
      pruned: 0,
      dropped: { 'queue-full': 0, unrecordable: 3, refused: 0, 'writer-ended': 0, 'not-written-at-close': 0 },
      pending: 9,
    });
    await client.release(first);
    made.first = 100; // no one queries it any more
    assert.deepEqual([client.counts().made, client.counts().dropped.unrecordable], [12, 3]);
    await client.release(second);
    assert.deepEqual([client.counts().dropped['not-written-at-close'], client.counts().pending], [9, 0]);
  });

  it('tells one application that its thread ended, counts what waited there as lost, and starts another', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookback-client-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const address = `sqlite:${join(folder, 'ended.db')}`;
    const client = WriterClient.of(address, retention);
    const failures: string[] = [];
    const failed = (error: unknown): void => void failures.push(String(error));
    const numbers = [1, 2].map((made) => client.add({ ...source, made: () => made, failed }));
    const begun = once(process, 'worker') as Promise<[Worker]>; // this event's argument
    client.start();
    const [worker] = await begun;
    await worker.terminate();
    assert.equal(failures.length, 1);
    assert.match(failures[0] ?? '', /The writer thread exited \(exit code \d\); 3 records were lost\./);
    const { pending, dropped } = client.counts();
    assert.deepEqual([pending, dropped['writer-ended']], [0, 3]);
    client.start(); // asks for ids again
    await client.ask('flush');
    const { id } = client.ids.next();
    assert.equal(client.ids.next().id, id + 1, 'ids are reserved, not random');
    assert.equal(client.state().records, 0);
    for (const number of numbers) await client.release(number);
    assert.notEqual(WriterClient.of(address, retention), client);
  });

  it('is shared by all applications with the same store and retention, but each in-memory store has its own', () => {
    const name = 'sqlite:never-opened.db';
    assert.equal(WriterClient.of(name, retention), WriterClient.of(name, { ...retention }));
    assert.notEqual(WriterClient.of(name, retention), WriterClient.of(name, { ...retention, records: 1 }));
    assert.notEqual(WriterClient.of('memory:', retention), WriterClient.of('memory:', retention));
    assert.equal(WriterClient.of('memory:', retention).state().store, 'memory:');
    assert.equal(WriterClient.of(openStore('memory:'), retention).state().store, 'given store');
  });
});

describe('the store state', () => {
  const watched = (): { watch: StoreWatch; states: StoreState[] } => {
    const states: StoreState[] = [];
    return { watch: new StoreWatch('sqlite:x', (state) => states.push(state)), states };
  };

  it('is reported once per change, with the code and the fix', () => {
    const { watch, states } = watched();
    const away = storeErrors.create('PROFILER_STORE_AWAY', { path: 'x', reason: 'refused' });
    watch.note(undefined);
    watch.note(away);
    watch.note(storeErrors.create('PROFILER_STORE_AWAY', { path: 'x', reason: 'timed out' }));
    watch.note(new Error('with a secret in it'));
    watch.note(undefined);
    watch.note(undefined);
    assert.deepEqual(
      states.map(({ status, code }) => [status, code]),
      [
        ['failing', 'PROFILER_STORE_AWAY'],
        ['failing', 'PROFILER_STORE_FAILED'],
        ['ready', null],
      ],
    );
    assert.equal(states[0]?.message, `${away.message} ${away.fix}`);
    assert.equal(states[1]?.message, 'The store failed.');
    assert.deepEqual([watch.state.store, watch.state.records], ['sqlite:x', null]);
  });

  it('passes on store notices, and reports nothing after the end', () => {
    const { watch, states } = watched();
    watch.note(undefined, { records: 7, bytes: 70, notice: 'A damaged file was renamed.' });
    assert.deepEqual(
      states.map(({ status, message }) => [status, message]),
      [['ready', 'A damaged file was renamed.']],
    );
    watch.close();
    watch.note(new Error('late'));
    const { status, records } = watch.state;
    assert.deepEqual([states.length, status, records], [1, 'closed', 7]);
  });

  it('is reported to a listener that throws without harm', () => {
    const watch = new StoreWatch('memory:', () => {
      throw new Error('listener');
    });
    watch.note(new Error('away'));
    assert.equal(watch.state.status, 'failing');
  });
});
