import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { typeOfHead, fieldsOfHead } from './written-head.js';

const name = fc.stringMatching(/^[A-Za-z-]{1,20}$/);
const value = fc.stringMatching(/^(?:[!-~\xa0-\xff][ -~\xa0-\xff]{0,20}[!-~]|[!-~])?$/);

describe('the head of an answer as Node wrote it', () => {
  it('has the fields that it was written from, in their order, repeated and empty ones too', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), (fields) => {
        const lines = fields.map(([one, text]) => `${one}: ${text}\r\n`).join('');
        assert.deepEqual(fieldsOfHead(`HTTP/1.1 200 OK\r\n${lines}\r\n`), fields.flat());
      }),
    );
  });

  it('that is cut or has no fields gives what is whole', () => {
    for (const head of ['', 'HTTP/1.1 200 OK', 'HTTP/1.1 200 OK\r\n\r\n'])
      assert.deepEqual(fieldsOfHead(head), []);
    assert.deepEqual(fieldsOfHead('HTTP/1.1 200 OK\r\nA: 1\r\nB: 2'), ['A', '1']);
  });

  it('names its type in whichever case, and none that another field ends with', () => {
    assert.equal(typeOfHead('HTTP/1.1 200 OK\r\ncontent-TYPE: text/html\r\n\r\n'), 'text/html');
    assert.equal(typeOfHead('HTTP/1.1 200 OK\r\nX-Content-Type: text/html\r\n\r\n'), '');
  });
});
