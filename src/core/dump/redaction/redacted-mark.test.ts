import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor } from './create-redactor.js';
import { containsRedacted, redactSecret, redactedMark } from './redacted-mark.js';

const redactor = createRedactor();
const generated = fc
  .array(fc.tuple(fc.constantFrom(...'abcdefgh'.split('')), fc.constantFrom(...'23456789'.split(''))), {
    minLength: 8,
    maxLength: 30,
  })
  .map((pairs) => pairs.flat().join(''))
  .filter((value) => new Set(value).size >= 8);
const marked = /\[redacted-[\da-f]{4}\]/;

describe("a secret's mark", () => {
  it('is the same wherever the secret is, and reveals nothing about it', () => {
    fc.assert(
      fc.property(generated, (secret) => {
        const mark = redactSecret(secret);
        assert.match(mark, marked);
        const places = [
          redactor.query(`a=1&token=${secret}`),
          redactor.url(`/x?token=${secret}`),
          redactor.json(JSON.stringify({ token: secret })),
          redactor.json(JSON.stringify({ authorization: `Bearer ${secret}` })),
          redactor.json(JSON.stringify(['--token', secret])),
          redactor.value('x-api-key', secret),
          redactor.value('cookie', `a=${secret}`),
          redactor.value('set-cookie', `a=${secret}; Path=/`),
          redactor.value('authorization', `Bearer ${secret}`),
          redactor.text(`token=${secret}`),
          redactor.text(`{"password": "${secret}"}`),
          redactor.text(`run --password ${secret}`),
          redactor.text(`<password>${secret}</password>`),
        ];
        for (const text of places) assert.ok(text.includes(mark) && !text.includes(secret), text);
      }),
    );
  });

  it('differs for nearly all different secrets', () => {
    const marks = new Set(Array.from({ length: 200 }, (_, at) => redactSecret(`s3cr3t-a1b2c3-${at}x9y8`)));
    assert.ok(marks.size > 190, String(marks.size));
  });

  it('stays when a redacted text is redacted again', () => {
    fc.assert(
      fc.property(generated, (secret) => {
        const [query, text] = [`token=${secret}&b=2`, `Authorization: Bearer ${secret}\ntoken: ${secret}`];
        for (const [redact, input] of [
          [redactor.query, query],
          [redactor.text, text],
          [redactor.json, JSON.stringify({ password: secret, list: ['authorization', secret], text })],
          [redactor.url, `https://u:${secret}@h.test/token/${secret}?token=${secret}`],
          [(value: string) => redactor.value('cookie', value), `a=${secret}; b=${secret}`],
          [(value: string) => redactor.value('authorization', value), `Bearer ${secret}`],
        ] as const) {
          const once = redact(input);
          assert.ok(marked.test(once) && !once.includes(secret), once);
          assert.equal(redact(once), once);
        }
      }),
    );
  });

  it('is missing where it would help to guess: short values, numbers, words, dates, addresses, accounts', () => {
    for (const value of [
      '1234',
      'a1b2c3',
      '4111 1111 1111 1111',
      '4111111111111111',
      '+49 30 1234567-89',
      '2026-11-29T06:15:00.000Z',
      'correct-horse-battery-staple',
      'Password1234',
      'Summer2026!!!',
      'a1.b2.c3.d4@example.com',
      'GB29NWBK60161331926819',
    ])
      assert.equal(redactSecret(value), redactedMark, value);
  });

  it('survives URL parsing, and is recognised when encoded', () => {
    const url = redactor.url('https://h.test/a?token=a1b2c3d4e5f6g7h8');
    const value = new URL(url).searchParams.get('token') ?? '';
    assert.match(value, marked);
    assert.ok(containsRedacted(encodeURIComponent(value)));
  });
});
