import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor, withoutMarks } from '../../../../test/without-marks.js';
import { hidePathValues, redactQuery, redactSetCookie } from './redact-url.js';
import { decodePercent } from './redacted-mark.js';

describe('values in a path', () => {
  it('are hidden at their position, in any encoding', () => {
    for (const [url, values, expected] of [
      ['/reset/abc?a=abc', ['abc'], '/reset/[redacted]?a=abc'],
      ['/reset/abc.html', ['abc'], '/reset/[redacted].html'],
      ['/reset/%61bc', ['abc'], '/reset/[redacted]'],
      ['/reset/a%20b', ['a b'], '/reset/[redacted]'],
      ['/reset/a/b', ['a/b'], '/[redacted]eset/[redacted]/[redacted]'.replace('[redacted]eset', 'reset')],
      ['http://abc/reset/abc#abc', ['abc'], 'http://abc/reset/[redacted]#abc'],
      ['/reset/abc', [], '/reset/abc'],
      ['/reset/abc', [''], '/reset/abc'],
    ] as const)
      assert.equal(hidePathValues(url, values), expected);
  });

  it('are never revealed, whatever they contain', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.boolean(), (value, lower) => {
        const encoded = encodeURIComponent(`${value}C4N4RY`);
        const sent = lower ? encoded.replaceAll(/%../g, (escape) => escape.toLowerCase()) : encoded;
        assert.doesNotMatch(hidePathValues(`/reset/${sent}/x`, [`${value}C4N4RY`]), /C4N4RY/);
      }),
    );
  });
});

const anyText = fc.string({ unit: 'grapheme' });

describe('percent-encoded text', () => {
  it('that is valid is decoded as by decodeURIComponent', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        assert.equal(decodePercent(encodeURIComponent(text)), text);
        assert.equal(decodePercent(encodeURI(text)), decodeURIComponent(encodeURI(text)));
      }),
    );
  });

  it('that is malformed stays unchanged at the malformed positions', () => {
    for (const [encoded, text] of [
      ['100%', '100%'],
      ['%4', '%4'],
      ['%zz%41', '%zzA'],
      ['%%41', '%A'],
      ['a%2', 'a%2'],
      ['%G0', '%G0'],
      ['%0G', '%0G'],
    ] as const)
      assert.equal(decodePercent(encoded), text);
  });

  it('that is invalid UTF-8 gets a replacement character', () => {
    assert.equal(decodePercent('%ff'), '\ufffd');
    assert.equal(decodePercent('a%c3b'), 'a\ufffdb');
  });

  it('accepts hexadecimal digits in both cases', () => {
    assert.equal(decodePercent('%2F%2f%C3%A9%c3%a9'), '//éé');
  });

  it('never throws, and takes linear time', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('%', '4', 'f', 'g', 'é', '\0') }), (text) => {
        assert.equal(typeof decodePercent(text), 'string');
      }),
    );
    const begun = process.cpuUsage();
    assert.equal(decodePercent('%4'.repeat(1_000_000)).length, 2_000_000);
    assert.ok(process.cpuUsage(begun).user < 3_000_000);
  });
});

describe('a query', () => {
  const redactor = createRedactor();
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';

  it('hides the values of secret names, and secrets without a name', () => {
    for (const [query, expected] of [
      ['a=1&b', 'a=1&b'],
      ['token=x&a=1', 'token=[redacted]&a=1'],
      ['token=&a=1', 'token=&a=1'],
      [`a=1&${jwt}`, 'a=1&[redacted]'],
      [`a=${jwt}&b=2`, 'a=[redacted]&b=2'],
      ['tok%65n=x', 'tok%65n=[redacted]'],
      ['a=1=2', 'a=1=2'],
      ['plain', 'plain'],
      ['', ''],
    ] as const)
      assert.equal(withoutMarks(redactQuery(query, redactor)), expected, query);
  });
});

describe('login links, and secrets in paths and parameters', () => {
  it('are hidden, also within a text', () => {
    const secret = 'c4N4ry99xyz';
    for (const url of [
      `/password/link?user=ada&expires=1800000000&id=a1&hash=${secret}`,
      `/reset-password/1/${secret}`,
      `/accounts/reset/MQ/${secret}`,
      `/email/verify/12/${secret}`,
      `/webhook/${secret}`,
      `/(S(${secret}))/x`,
      `/a?oauth_verifier=${secret}`,
      `/login/github?code=${secret}`,
      `/auth/google/return?code=${secret}&scope=email`,
    ]) {
      assert.ok(!createRedactor().url(url).includes(secret), url);
      assert.ok(!createRedactor().text(`see ${url} now`).includes(secret), url);
    }
    for (const url of ['/a?key=articles&code=DE', '/a?state=open', '/hooks/useState', '/verify/12/index'])
      assert.equal(createRedactor().url(url), url);
  });
});

it('the values of several Set-Cookie fields joined by commas are hidden, with their names and dates shown', () => {
  const joined = 'sid=abcdefgh; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/, colour=blue1234; Path=/, x=1';
  assert.equal(
    withoutMarks(redactSetCookie(joined)),
    'sid=[redacted]; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/, colour=[redacted]; Path=/, x=[redacted]',
  );
});
