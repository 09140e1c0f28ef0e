import assert from 'node:assert/strict';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HttpResponse } from './http-response.js';
import { ResponseHeaders } from './response-headers.js';

const name = fc.constantFrom('A', 'a', 'B', 'X-Long-Name', 'x-long-name', 'Set-Cookie');

const step = fc.oneof(
  fc.record({ kind: fc.constantFrom('set', 'append'), name, value: fc.constantFrom('1', '2', '') }),
  fc.record({ kind: fc.constant('delete'), name, value: fc.constant('') }),
);

describe("a response's header fields", () => {
  it('behave like a plain list of pairs, for any operations', () => {
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

  it('accept all valid header text, and nothing that could start another header', () => {
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

  it('list tokens are added once, ignoring case', () => {
    const headers = new ResponseHeaders({ Vary: 'Accept,  origin' });
    for (const token of ['Origin', 'ACCEPT', 'Cookie', 'cookie']) headers.addToken('vary', token);
    assert.equal(headers.get('Vary'), 'Accept,  origin, Cookie');
    const fresh = new ResponseHeaders();
    fresh.addToken('Allow', 'GET');
    assert.equal(fresh.get('allow'), 'GET');
  });

  it('a copy is a separate list; sent headers cannot be changed', () => {
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

const doesNotThrow = (work: () => unknown): boolean => {
  try {
    work();
    return true;
  } catch (error) {
    assert.ok(error instanceof TypeError);
    return false;
  }
};

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({
    unit: fc.constantFrom('a', 'Z', '0', '-', ' ', ':', '\t', '\r', '\n', '\0', '\x7f', 'ä', 'ÿ', 'Ā'),
    maxLength: 60,
  }),
);

describe('a header field', () => {
  it('is accepted exactly when Node accepts it, by name and by value', () => {
    fc.assert(
      fc.property(anyText, (name) => {
        const isTaken = doesNotThrow(() => new ResponseHeaders().append(name, 'x'));
        assert.equal(
          isTaken,
          doesNotThrow(() => validateHeaderName(name)),
        );
      }),
      { numRuns: 500, examples: [[''], ['X-Ok'], ['a b'], ['a:']] },
    );
    fc.assert(
      fc.property(anyText, (value) => {
        const isTaken = doesNotThrow(() => new ResponseHeaders().append('x', value));
        assert.equal(
          isTaken,
          doesNotThrow(() => validateHeaderValue('x', value)),
        );
      }),
      { numRuns: 500, examples: [[''], ['a\r\nSet-Cookie: b=c'], ['x'.repeat(100) + '\n']] },
    );
  });

  it('is found in any case, replaced in place and removed completely', () => {
    const name = fc.constantFrom('A', 'a', 'B', 'b', 'Vary', 'VARY', 'vary');
    const step = fc.tuple(
      fc.constantFrom('set', 'append', 'delete'),
      name,
      fc.stringMatching(/^[a-z]{0,3}$/),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const headers = new ResponseHeaders();
        let model: [string, string][] = [];
        for (const [kind, field, value] of steps) {
          const isSame = ([other]: [string, string]): boolean => other.toLowerCase() === field.toLowerCase();
          if (kind === 'set') {
            headers.set(field, value);
            const at = model.findIndex(isSame);
            if (at === -1) model.push([field, value]);
            else
              model = model.flatMap((pair, index) =>
                index === at ? [[field, value]] : isSame(pair) ? [] : [pair],
              );
          } else if (kind === 'append') {
            headers.append(field, value);
            model.push([field, value]);
          } else {
            headers.delete(field);
            model = model.filter((pair) => !isSame(pair));
          }
          assert.deepEqual([...headers], model);
          assert.deepEqual(
            headers.getAll(field),
            model.filter(isSame).map(([, text]) => text),
          );
          assert.equal(headers.get(field), model.find(isSame)?.[1]);
        }
      }),
    );
  });

  it('that lists tokens has each once', () => {
    const headers = new ResponseHeaders();
    for (const token of ['Origin', 'Accept', 'ORIGIN', 'Cookie', 'accept']) headers.addToken('Vary', token);
    assert.equal(headers.get('vary'), 'Origin, Accept, Cookie');
  });

  it('cannot be changed once the response is being sent', () => {
    const response = HttpResponse.text('x');
    response.seal();
    for (const change of [
      () => response.headers.set('A', 'b'),
      () => response.headers.append('A', 'b'),
      () => response.headers.delete('Content-Type'),
    ])
      assert.throws(change, { code: 'HTTP_RESPONSE_SENT' });
    response.copy().headers.set('A', 'b');
  });
});
