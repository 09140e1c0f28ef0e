import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RequestHeaders, sameName } from './request-headers.js';

describe('request headers', () => {
  it('belong to one request: frozen, with their own list', () => {
    const given = ['Host', 'a', 'X-User', 'ada'];
    const headers = new RequestHeaders(given);
    const other = new RequestHeaders(given);
    given[3] = 'admin';
    assert.equal(headers.get('x-user'), 'ada');
    assert.notEqual(headers.raw, other.raw);
    assert.throws(() => (headers.raw as string[]).push('x-user', 'admin'), TypeError); // attempts to write anyway
    assert.throws(() => Object.assign(headers, { get: () => 'admin' }), TypeError);
  });

  it('have the fields that were sent, in any spelling', () => {
    const field = fc.constantFrom('Host', 'host', 'Cookie', 'cookie', 'a', 'B', '');
    const list = fc.array(fc.tuple(field, field), { maxLength: 6 });
    fc.assert(
      fc.property(list, (pairs) => {
        const headers = new RequestHeaders(pairs.flat());
        for (const name of ['Host', 'host', 'COOKIE', 'A', 'b', 'x']) {
          const values = pairs
            .filter(([other]) => other.toLowerCase() === name.toLowerCase())
            .map(([, value]) => value);
          const joined = values.join(name === 'COOKIE' ? '; ' : ', ');
          assert.equal(headers.get(name), values.length === 0 ? undefined : joined, name);
          assert.deepEqual(headers.getAll(name), values);
          assert.equal(headers.count(name), values.length);
          assert.equal(headers.has(name), values.length > 0);
        }
      }),
    );
  });

  it('are found with any number of name lists, even long ones', () => {
    for (let round = 0; round < 3; round++)
      for (let size = 0; size < 100; size++) {
        const names = Array.from({ length: size }, (_, at) => `X-${size}-${at}`);
        const headers = new RequestHeaders(names.flatMap((name) => [name, `${round} ${name}`]));
        for (const name of names) assert.equal(headers.get(name), `${round} ${name}`);
        assert.equal(headers.get('x-none'), undefined);
      }
  });
});

describe('field positions', () => {
  it('are one object for requests with the same names, and another one otherwise', () => {
    const locations = (...raw: string[]): object => new RequestHeaders(raw).locations;
    const first = locations('Host', 'a', 'Accept', '*/*');
    assert.equal(locations('Host', 'b', 'Accept', ''), first);
    assert.notEqual(locations('Host', 'a', 'Via', '*/*'), first);
    assert.notEqual(locations('Host', 'a'), first);
  });
});

describe('names of fields', () => {
  it('are equal if they differ only in case', () => {
    // Besides letters: characters that differ from another one by the case bit.
    const character = fc.constantFrom(...'aAzZ@`[{^~_09-'.split(''));
    const name = fc.string({ unit: character, maxLength: 4 });
    fc.assert(
      fc.property(name, name, (left, right) => {
        assert.equal(sameName(left, right), left.toLowerCase() === right.toLowerCase());
        assert.equal(sameName(left, left.toUpperCase()), true);
      }),
    );
  });
});
