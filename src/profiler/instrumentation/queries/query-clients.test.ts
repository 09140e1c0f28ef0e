import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientsOf, keepClient } from './query-clients.js';

describe('clients for query plans', () => {
  it('are found by the name of their queries, newest first, each once', () => {
    const [first, second, other] = [{}, {}, {}];
    keepClient('test one', first);
    keepClient('test one', second);
    keepClient('test one', first);
    keepClient('test two', other);
    assert.deepEqual(
      [...clientsOf('test one')].map((client) => [first, second].indexOf(client)),
      [1, 0],
    );
    assert.deepEqual(clientsOf('test two'), [other]);
    assert.deepEqual(clientsOf('nobody'), []);
  });

  it("are bounded: a busy pool's clients displace the oldest", () => {
    const all = Array.from({ length: 60 }, () => ({}));
    for (const client of all) keepClient('test many', client);
    const kept = clientsOf('test many');
    assert.equal(kept.length, 50);
    assert.equal(kept[0], all.at(-1));
    assert.ok(!kept.includes(all[0] ?? {}));
  });
});
