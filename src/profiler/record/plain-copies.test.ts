import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedactor } from '#dump';
import { HttpRequest, HttpResponse } from '#http';
import { createProfiler } from '../create-profiler.js';
import { createMemoryStore } from '../store/create-memory-store.js';
import { PlainCopies } from './plain-copies.js';

const peer = { address: '127.0.0.1', port: 1, encrypted: false };

describe('sections of plain data', () => {
  it('are shared where nothing of the data can change, and copied anew where something can', () => {
    const copies = new PlainCopies(createRedactor());
    const fixed = Object.freeze({ list: Object.freeze([1, 2]) });
    const { shared } = copies.take(fixed, 1000);
    assert.ok(shared !== undefined && shared === copies.take(fixed, 1000).shared);
    const list = [1];
    const open = Object.freeze({ list });
    assert.equal(copies.take(open, 1000).json, '{"list":[1]}');
    list.push(2);
    const { json, shared: none } = copies.take(open, 1000);
    assert.deepEqual([json, none], ['{"list":[1,2]}', undefined]);
  });

  it('run no code of the data', () => {
    const copies = new PlainCopies(createRedactor());
    const trap = (): never => assert.fail('a trap ran');
    const proxy = new Proxy({}, { isExtensible: trap, ownKeys: trap, getOwnPropertyDescriptor: trap });
    assert.equal(copies.take(proxy, 1000).json, 'null');
    assert.equal(copies.take(Object.freeze({ proxy }), 1000).json, '{}');
  });

  it('come back from the record, shared or not, without secrets', async () => {
    const profiler = createProfiler({ store: createMemoryStore(), storeName: 'memory' });
    try {
      const shared = Object.freeze({ name: 'shared', password: 'hunter2' });
      for (let time = 0; time < 2; time++) {
        const request = new HttpRequest({
          method: 'GET',
          target: '/',
          rawHeaders: [],
          httpVersion: '1.1',
          peer,
        });
        const recording = profiler.begin(request);
        recording.section('shared', shared);
        recording.section('own', { time, password: 'hunter2' });
        profiler.finish(recording, new HttpResponse(''), {
          status: 200,
          headers: [],
          bodyBytes: 0,
          completed: true,
        });
        const found = await profiler.find(recording.token);
        assert.ok(found.kind === 'found');
        const { shared: first, own } = found.record.sections;
        assert.deepEqual(first, { name: 'shared', password: '[redacted]' });
        assert.deepEqual(own, { time, password: '[redacted]' });
      }
    } finally {
      await profiler.close();
    }
  });
});
