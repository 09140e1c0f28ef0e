import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { RecordedBody } from '../model/profile-record.js';
import { findHeader } from '../model/profile-record.js';
import {
  fieldsOfHead,
  readCookies,
  readParsed,
  readSetCookies,
  readTargetQuery,
  typeOfHead,
} from './read-message.js';

/** Includes lone surrogates; generated faster than by the library's own unit. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const anyText = fc.string({ unit: anyCharacter, maxLength: 12 });

describe('reading a message', () => {
  const fields = [
    ['Cookie', 'a=1; b="x=y"; ; flag'],
    ['cookie', 'c=3'],
    ['SET-COOKIE', 'sid=1; Path=/; HttpOnly; Max-Age=10'],
    ['set-cookie', ''],
    ['X-A', 'first'],
    ['x-a', 'second'],
  ] as const;

  it('finds the first of several fields, in any case', () => {
    assert.equal(findHeader(fields, 'x-a'), 'first');
    assert.equal(findHeader(fields, 'x-b'), undefined);
  });

  it('finds the cookies of all fields, with everything after the first equals sign', () => {
    assert.deepEqual(readCookies(fields), [
      ['a', '1'],
      ['b', '"x=y"'],
      ['flag', ''],
      ['c', '3'],
    ]);
  });

  it('finds response cookies with their attributes', () => {
    assert.deepEqual(readSetCookies(fields), [
      {
        name: 'sid',
        value: '1',
        attributes: [
          ['Path', '/'],
          ['HttpOnly', ''],
          ['Max-Age', '10'],
        ],
      },
      { name: '', value: '', attributes: [] },
    ]);
  });

  it("decodes a target's query, without the fragment", () => {
    assert.deepEqual(readTargetQuery('/a?b=%C3%A9&c=+&c=2&d#?e=f'), [
      ['b', 'é'],
      ['c', ' '],
      ['c', '2'],
      ['d', ''],
    ]);
    for (const target of ['/a', '/a#?b=c', '/a?', '']) {
      const query = readTargetQuery(target);
      assert.deepEqual(query, target === '/a#?b=c' ? [['b', 'c']] : [], target);
    }
    fc.assert(fc.property(anyText, (target) => Array.isArray(readTargetQuery(`/?${target}`))));
  });

  const body = (content: string, contentType: string, more: Partial<RecordedBody> = {}): RecordedBody => ({
    encoding: 'text',
    content,
    contentType,
    bytes: content.length,
    cut: false,
    ...more,
  });

  it('parses a complete body by its type', () => {
    assert.equal(readParsed(body('{"a":1}', 'application/json; charset=utf-8'))?.format, 'json');
    assert.equal(readParsed(body('[]', 'application/problem+JSON'))?.format, 'json');
    const form = readParsed(body('a=1&a=2&b=&__proto__=x', 'application/x-www-form-urlencoded'));
    assert.equal(form?.format, 'form');
    assert.deepEqual(
      form?.value.entries?.map(({ key, value }) => [key, value.type]),
      [
        ['a', 'array'],
        ['b', 'string'],
        ['__proto__', 'string'],
      ],
    );
    for (const none of [
      null,
      body('{"a":', 'application/json'),
      body('{}', 'application/json', { cut: true }),
      body('e30=', 'application/json', { encoding: 'base64' }),
      body('{}', 'text/plain'),
      body('{}', 'application/jsonp'),
      body('{}', ''),
    ])
      assert.equal(readParsed(none), null, JSON.stringify(none));
  });

  it('turns three or more equal body fields into one list', () => {
    const form = readParsed(body('a=1&a=2&a=3', 'application/x-www-form-urlencoded'));
    assert.deepEqual(
      form?.value.entries?.[0]?.value.entries?.map(({ value }) => value.text),
      ['1', '2', '3'],
    );
  });

  it('reads a 64 KB body that repeats one field in less than a second of processor time', () => {
    const before = process.cpuUsage();
    const form = readParsed(body('a=b&'.repeat(16_384), 'application/x-www-form-urlencoded'));
    const { user } = process.cpuUsage(before);
    assert.equal(form?.value.entries?.[0]?.value.entries?.[0]?.value.text, 'b');
    assert.ok(user < 1_000_000, `${user / 1000} ms`);
  });
});

const fieldName = fc.stringMatching(/^[A-Za-z-]{1,20}$/);
const fieldValue = fc.stringMatching(/^(?:[!-~\xa0-\xff][ -~\xa0-\xff]{0,20}[!-~]|[!-~])?$/);

describe('a response head written by Node', () => {
  it('has the fields it was written from, in order, including repeated and empty ones', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fieldName, fieldValue)), (fields) => {
        const lines = fields.map(([one, text]) => `${one}: ${text}\r\n`).join('');
        assert.deepEqual(fieldsOfHead(`HTTP/1.1 200 OK\r\n${lines}\r\n`), fields.flat());
      }),
    );
  });

  it('keeps no-break spaces in a value, but no blanks around it', () => {
    assert.deepEqual(fieldsOfHead('HTTP/1.1 200 OK\r\nA: \t\xa01\xa0 \r\nB:2\r\n\r\n'), [
      'A',
      '\xa01\xa0',
      'B',
      '2',
    ]);
  });

  it('yields the complete part if it is cut or has no fields', () => {
    for (const head of ['', 'HTTP/1.1 200 OK', 'HTTP/1.1 200 OK\r\n\r\n'])
      assert.deepEqual(fieldsOfHead(head), []);
    assert.deepEqual(fieldsOfHead('HTTP/1.1 200 OK\r\nA: 1\r\nB: 2'), ['A', '1']);
  });

  it('names its type in any case, and ignores fields that merely have the same ending', () => {
    assert.equal(typeOfHead('HTTP/1.1 200 OK\r\ncontent-TYPE: text/html\r\n\r\n'), 'text/html');
    assert.equal(typeOfHead('HTTP/1.1 200 OK\r\nX-Content-Type: text/html\r\n\r\n'), '');
  });
});
