import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedactor } from '#core/dump';
import { HttpRequest } from '#core/http';
import { FactList, type RecordedExchange } from './recorded-facts.js';

const declared = {
  name: { shape: 'text', of: () => 'token=s3cr3tValue1234', label: 'Name', isCode: true },
  language: { shape: ['?', 'text'], of: () => undefined, label: 'Language' },
  bytes: { shape: 'count', of: () => 0, label: 'Bytes' },
  load: { shape: 'number', of: () => 0.5 },
  isWhole: { shape: 'flag', of: () => true, label: 'Whole' },
  'more?': { shape: 'text', of: () => undefined, label: 'More' },
} as const;
const list = new FactList<typeof declared>(declared);
const redactor = createRedactor();

describe('recorded facts', () => {
  it('are empty, null if allowed, or omitted when missing', () => {
    assert.deepEqual(list.fieldsOf([], redactor), {
      name: '',
      language: null,
      bytes: 0,
      load: 0,
      isWhole: false,
    });
  });

  it('are decoded from numbers to flags, and texts are redacted', () => {
    const fields = list.fieldsOf(['token=s3cr3tValue1234', 'de', 3, 0.5, 1, 'x'], redactor);
    assert.doesNotMatch(fields.name, /s3cr3t/);
    assert.deepEqual(fields, {
      ...fields,
      language: 'de',
      bytes: 3,
      load: 0.5,
      isWhole: true,
      more: 'x',
    });
    assert.equal(list.fieldsOf([undefined, undefined, 3, 0.5, 0], redactor).isWhole, false);
  });

  it('become panel rows if they have a title and a value', () => {
    const rows = list.labelled({ name: 'a', language: null, bytes: 0, load: 1, isWhole: false });
    assert.deepEqual(rows, [
      { label: 'Name', isCode: true, text: 'a' },
      { label: 'Bytes', isCode: false, text: '0' },
      { label: 'Whole', isCode: false, text: 'no' },
    ]);
    assert.deepEqual(list.labelled({ isWhole: true }), [{ label: 'Whole', isCode: false, text: 'yes' }]);
  });

  it('are read even if one of them fails, which is reported', () => {
    const failed: unknown[] = [];
    const thrown = new Error('no');
    const throwing = new FactList({
      first: {
        shape: 'text',
        of: () => {
          throw thrown;
        },
      },
      second: { shape: 'count', of: () => 2 },
    });
    const peer = { address: '127.0.0.1', port: 1, encrypted: false };
    const source = { method: 'GET', target: '/', rawHeaders: [], httpVersion: '1.1', peer };
    const exchange: RecordedExchange = {
      request: new HttpRequest(source),
      userName: undefined,
      firstByteMs: undefined,
    };
    const sent = { status: 200, headers: [], bodyBytes: 0, completed: true };
    assert.deepEqual(
      throwing.read(exchange, sent, (error) => failed.push(error)),
      [undefined, 2],
    );
    assert.deepEqual(failed, [thrown]);
  });
});
