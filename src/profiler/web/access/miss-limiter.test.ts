import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMissLimiter } from './miss-limiter.js';

describe('miss limiter', () => {
  it('lets 30 misses pass in a minute, then says how long to wait, and forgets', () => {
    let time = 5_000;
    const limiter = createMissLimiter(30, () => time);
    for (let count = 0; count < 30; count++) assert.equal(limiter.miss('127.0.0.1'), undefined);
    time += 20_000;
    assert.equal(limiter.miss('127.0.0.1'), 40);
    assert.equal(limiter.miss('127.0.0.2'), undefined);
    time += 40_000;
    assert.equal(limiter.miss('127.0.0.1'), undefined);
  });

  it('keeps a bounded number of peers', () => {
    const limiter = createMissLimiter(1, () => 0);
    limiter.miss('10.0.0.1');
    for (let index = 0; index < 1_000; index++) limiter.miss(`10.1.${index >> 8}.${index & 255}`);
    assert.equal(limiter.miss('10.0.0.1'), undefined, 'the oldest was forgotten');
  });
});
