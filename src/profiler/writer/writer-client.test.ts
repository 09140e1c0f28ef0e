import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openStore } from '../tables/open-store.js';
import { within, WriterClient } from './writer-client.js';

describe('waiting within a time', () => {
  it('ends with the work, whatever becomes of it, or with the time', async () => {
    await within(60_000, Promise.resolve());
    await within(60_000, Promise.reject(new Error('broken')));
    await within(0, new Promise(() => {}));
  });
});

describe('the client of a writer', () => {
  it('releases the store with the last of its applications, also where they leave at the same time', async () => {
    const store = openStore('memory:');
    const { close } = store;
    let closed = 0;
    store.close = () => {
      closed++;
      return close.call(store);
    };
    const client = WriterClient.of(store, { records: 100, profilerRecords: 10, ageMs: 1e6, bytes: 1e9 });
    const numbers = [1, 2, 3].map(() =>
      client.add({
        settings: { redaction: {}, config: {}, limits: { requestBody: 1, responseBody: 1 } },
        made: () => 0,
        unrecordable: () => 0,
        onState: undefined,
        failed: (error) => assert.fail(String(error)),
      }),
    );
    await client.link.ask('totals', {}); // opens it
    await client.release(numbers[0] ?? 0);
    assert.equal(closed, 0);
    await Promise.all(numbers.slice(1).map((number) => client.release(number)));
    assert.equal(closed, 1);
    assert.equal(client.state().status, 'closed');
  });
});
