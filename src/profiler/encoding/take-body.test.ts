import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor } from '#core/dump';
import type { RecordedBody } from '../model/profile-record.js';
import { type ObservedBody, takeBody } from './take-body.js';

const redactor = createRedactor();

const secretNames = [
  'password',
  'api_key',
  'client_secret',
  'Authorization',
  'access_token',
  'sessionId',
  'cvv',
];

const secretName = fc.constantFrom(...secretNames);

/** A text that cannot occur by chance. */
const secret = fc.stringMatching(/^[A-Z][a-z][0-9][A-Za-z0-9]{9,20}$/).map((text) => `c4nary${text}`);

describe('a recorded body', () => {
  const take = (body: Partial<ObservedBody>, limit = 1000): RecordedBody | null => {
    const content = body.content ?? '';
    const bytes = Buffer.byteLength(content as string); // bytes have a length too
    return takeBody({ bytes, contentType: 'text/plain', ...body, content }, { redactor, limit });
  };

  it('is null if there was none', () => {
    assert.equal(take({}), null);
    assert.equal(take({ bytes: 5 })?.cut, true);
  });

  it('of JSON is redacted by its fields, regardless of the declared type', () => {
    const fields = JSON.stringify([{ name: 'password', value: 'Zk3canary' }]);
    for (const contentType of ['application/json', 'text/plain', 'text/plain; charset=utf-8', '', 'image/x'])
      for (const content of [fields, ` \n${fields}`, `{"sent":${fields}}`])
        assert.doesNotMatch(take({ content, contentType })?.content ?? 'none', /Zk3|^none$/, contentType);
  });

  it('is cut at the limit, and marked as cut', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.integer({ min: 1, max: 50 }), (content, limit) => {
        const taken = take({ content, contentType: 'text/plain' }, limit);
        if (/^\s*(?:<|--)/.test(content)) return;
        if (content === '') return assert.equal(taken, null);
        assert.equal(taken?.encoding, 'text');
        assert.equal(taken?.cut, content.length > limit);
        assert.ok(redactor.text(content) !== content || content.startsWith(taken?.content ?? '-'));
      }),
    );
  });

  it('of bytes that are text is that text, even if a character was split', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[aé😀ß]{1,20}$/u),
        fc.integer({ min: 1, max: 80 }),
        (content, limit) => {
          const bytes = Buffer.from(content);
          const taken = take({ content: bytes }, limit);
          if (limit < 4 && taken?.content === '') return;
          assert.equal(taken?.encoding, 'text');
          assert.ok(content.startsWith(taken?.content ?? '-'), taken?.content);
          const left = Math.min(limit, bytes.length) - Buffer.byteLength(taken?.content ?? '');
          assert.ok(left < 4, `${left} bytes of a character are left out`);
          assert.equal(taken?.cut, bytes.length > limit);
          assert.ok(bytes.length > limit || taken?.content === content);
        },
      ),
    );
  });

  it('of a listed binary type keeps its beginning as base64', () => {
    const bytes = Buffer.from(Array.from({ length: 6000 }, (_, at) => at % 256));
    const png = { content: bytes, bytes: 6000, contentType: 'image/png' };
    const taken = takeBody(png, { redactor, limit: 10_000, bodyTypes: ['image/*'] });
    assert.equal(taken?.encoding, 'base64');
    assert.deepEqual(Buffer.from(taken?.content ?? '', 'base64'), bytes.subarray(0, 4096));
    assert.deepEqual([taken?.cut, taken?.bytes], [true, 6000]);
    const unlisted = takeBody(png, { redactor, limit: 10_000, bodyTypes: ['text/html'] });
    assert.deepEqual([unlisted?.content, unlisted?.cut, unlisted?.bytes], ['', true, 6000]);
  });

  it('in UTF-16 is decoded, detected by type, byte order mark or content', () => {
    const text = '{"password":"hunter22","name":"Ada"}';
    const little = Buffer.from(text, 'utf16le');
    const big = Buffer.from(little).swap16();
    const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), little]);
    for (const [content, contentType] of [
      [little, 'application/json; charset=utf-16'],
      [little, 'application/json; charset="UTF-16LE"'],
      [big, 'application/json; charset=utf-16be'],
      [little, 'application/json'],
      [big, 'application/json'],
      [marked, 'application/json'],
    ] as const) {
      const taken = take({ content, contentType });
      assert.match(taken?.content ?? '', /"name":"Ada"/, contentType);
      assert.doesNotMatch(taken?.content ?? '', /hunter22/, contentType);
    }
  });

  it('contains no secret, whatever its form', () => {
    const made: readonly [type: string, make: (name: string, hidden: string) => string][] = [
      [
        'application/json',
        (name, hidden) => JSON.stringify({ a: 1, [name]: hidden, b: [{ [name]: hidden }] }),
      ],
      ['text/plain', (name, hidden) => JSON.stringify([{ [name]: hidden }])],
      ['application/x-www-form-urlencoded', (name, hidden) => `a=1&${name}=${hidden}&b=2`],
      ['text/plain', (name, hidden) => `${name}=${hidden}`],
      ['', (name, hidden) => `Authorization: Bearer ${hidden}\n${name}: ${hidden}`],
      [
        'multipart/form-data; boundary=xyz',
        (name, hidden) =>
          `--xyz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${hidden}\r\n--xyz--\r\n`,
      ],
      ['text/html', (name, hidden) => `<input value="${hidden}" name="${name}">`],
      ['application/xml', (name, hidden) => `<a><${name}>${hidden}</${name}></a>`],
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...made),
        secretName,
        secret,
        fc.boolean(),
        ([type, make], name, hidden, isBytes) => {
          const content = make(name, hidden);
          const taken = take({ content: isBytes ? Buffer.from(content) : content, contentType: type });
          assert.ok(taken !== null && !taken.content.includes(hidden), `${type}: ${taken?.content}`);
        },
      ),
      { numRuns: 80 },
    );
  });

  it('says if it was not read, and has a bounded type', () => {
    const taken = take({ content: 'a', isUnread: true, contentType: 't'.repeat(1000) });
    assert.deepEqual([taken?.isUnread, taken?.contentType.length], [true, 300]);
    assert.equal(take({ content: 'a' })?.isUnread, undefined);
  });

  it('is marked as cut if fewer bytes were seen than sent', () => {
    assert.equal(take({ content: 'head', bytes: 100 })?.cut, true);
    assert.equal(take({ content: Buffer.from('head'), bytes: 100 })?.cut, true);
    assert.equal(take({ content: 'é', bytes: 2 })?.cut, false);
  });
});
