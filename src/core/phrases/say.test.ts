import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { say } from './say.js';

describe('say', () => {
  it('uses the singular for one and the plural for any other number, with thousands separators', () => {
    const queries = (n: number): string => say('{n} query|{n} queries', { n });
    assert.deepEqual([queries(0), queries(1), queries(1200)], ['0 queries', '1 query', '1,200 queries']);
  });

  it('inserts values literally, whatever they contain', () => {
    assert.equal(say('Did you mean {path}?', { path: '{path} $& |' }), 'Did you mean {path} $& |?');
  });

  it('keeps the placeholder if its value is missing or only inherited', () => {
    assert.equal(say('Did you mean {path}?', {}), 'Did you mean {path}?');
    assert.equal(say('Is {toString} there?', {}), 'Is {toString} there?');
  });
});
