import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ResponseHeaders } from './response-headers.js';

const name = fc.constantFrom('A', 'a', 'B', 'X-Long-Name', 'x-long-name', 'Set-Cookie');
const step = fc.oneof(
  fc.record({ kind: fc.constantFrom('set', 'append'), name, value: fc.constantFrom('1', '2', '') }),
  fc.record({ kind: fc.constant('delete'), name, value: fc.constant('') }),
);

describe('the header fields of a response', () => {
  it('are those of a plain list of pairs, whatever is done to them', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const headers = new ResponseHeaders();
        let model: [string, string][] = [];
        const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
        for (const { kind, name: field, value } of steps) {
          if (kind === 'append') {
            headers.append(field, value);
            model.push([field, value]);
          } else if (kind === 'delete') {
            headers.delete(field);
            model = model.filter(([other]) => !isSame(other, field));
          } else {
            headers.set(field, value);
            const at = model.findIndex(([other]) => isSame(other, field));
            if (at === -1) model.push([field, value]);
            else
              model = model.flatMap((pair, index) =>
                index === at ? [[field, value] as [string, string]] : isSame(pair[0], field) ? [] : [pair],
              );
          }
          assert.deepEqual([...headers], model);
          assert.deepEqual(headers.flat, model.flat());
          assert.deepEqual(
            headers.getAll(field),
            model.filter(([other]) => isSame(other, field)).map(([, one]) => one),
          );
          assert.equal(headers.get(field.toUpperCase()), headers.getAll(field)[0]);
          assert.equal(headers.has(field), headers.getAll(field).length > 0);
        }
      }),
    );
  });

  it('carry what a header can, and nothing that could begin another', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        const isGood = /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
        const isName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
        const headers = new ResponseHeaders();
        if (isGood) headers.set('X-A', text);
        else assert.throws(() => headers.set('X-A', text), TypeError);
        if (isName) headers.set(text, '1');
        else assert.throws(() => headers.set(text, '1'), TypeError);
      }),
      { numRuns: 1000 },
    );
    for (const bad of ['a\r\nB: c', 'a\n', '\r', 'a\0', 'x'.repeat(100) + '\n', 'x'.repeat(100) + 'Ā'])
      assert.throws(() => new ResponseHeaders({ 'X-A': bad }), TypeError);
  });

  it('tokens of a list are added once, without case', () => {
    const headers = new ResponseHeaders({ Vary: 'Accept,  origin' });
    for (const token of ['Origin', 'ACCEPT', 'Cookie', 'cookie']) headers.addToken('vary', token);
    assert.equal(headers.get('Vary'), 'Accept,  origin, Cookie');
    const fresh = new ResponseHeaders();
    fresh.addToken('Allow', 'GET');
    assert.equal(fresh.get('allow'), 'GET');
  });

  it('a copy is a list of its own; what was sent cannot be changed', () => {
    const headers = new ResponseHeaders([['A', '1']]);
    const copy = headers.copy();
    headers.seal();
    for (const change of [
      () => headers.set('A', '2'),
      () => headers.append('B', '2'),
      () => headers.delete('A'),
      () => headers.addToken('A', '2'),
    ])
      assert.throws(change, { code: 'HTTP_RESPONSE_SENT' });
    copy.set('A', '2');
    assert.deepEqual([headers.get('A'), copy.get('A')], ['1', '2']);
  });
});
