import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { createDump, createRedactor, renderSnapshotText } from '#core/dump';

const redactor = createRedactor();
const dump = createDump({ redactor });

const readable = {
  'access-control-allow-credentials': 'true',
  prompt_tokens: 12,
  max_tokens: 50,
  auth: 'none',
  signature: 'Ada',
  seed: 7,
  session: true,
  token: false,
  apiKey: 12_345,
  secret: 42,
};
const hidden = {
  pin: 1234,
  cvv: 987,
  otp: 555_123,
  pinCode: '4321',
  cardPin: 77,
  mfa_code: 918_273,
  cvc2: '456',
};

describe('values with secret-sounding names', () => {
  it("stay readable if they are switches, counts or words: in JSON and in the application's values", () => {
    const json = JSON.stringify(readable);
    assert.equal(redactor.json(json), json);
    const shown = renderSnapshotText(dump(readable));
    for (const value of Object.values(readable))
      assert.ok(shown.includes(String(value)), `${value} in ${shown}`);
    assert.doesNotMatch(shown, /redacted/);
  });

  it('stay readable in text as well, except numbers of four digits or more', () => {
    const { apiKey: _, ...short } = readable;
    const text = Object.entries(short)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n');
    assert.equal(redactor.text(text), text);
    assert.equal(redactor.text('apiKey: 999'), 'apiKey: 999');
    for (const value of [1000, readable.apiKey])
      assert.equal(redactor.text(`apiKey: ${value}`), 'apiKey: [redacted]');
  });

  it('stay readable in a CORS header', () => {
    const name = 'Access-Control-Allow-Credentials';
    assert.equal(redactor.value(name, 'true'), 'true');
    assert.equal(redactor.value(name.toLowerCase(), 'true'), 'true');
  });

  it('are hidden under names of usually short secrets, even as numbers', () => {
    const json = redactor.json(JSON.stringify(hidden));
    const shown = renderSnapshotText(dump(hidden));
    for (const [name, value] of Object.entries(hidden)) {
      assert.ok(!json.includes(String(value)) && !shown.includes(String(value)), name);
      assert.ok(!redactor.url(`/a?${name}=${value}`).includes(String(value)), `${name} in a query`);
    }
    assert.equal(json.split('[redacted]').length - 1, Object.keys(hidden).length);
  });

  it('do not change when they are redacted again', () => {
    const once = redactor.json(JSON.stringify({ ...hidden, ...readable, password: 'c4n4ry99' }));
    assert.equal(redactor.json(once), once);
    const text = redactor.text('password: c4n4ry99, otp: 555123, signature: Ada');
    assert.equal(redactor.text(text), text);
  });
});

describe('a row called session', () => {
  const row = { id: 3, title: 'Opening keynote', room: 'A 1', startsAt: '2026-11-28T09:00:00.000Z' };
  const json = (value: unknown): string => redactor.json(JSON.stringify(value));
  const shown = (value: unknown): string => renderSnapshotText(dump(value));
  const printed = (value: unknown): string => redactor.text(inspect(value, { depth: 5 }));

  it('stays readable with a small number as its id: in JSON, values of the application, printed text, and lists', () => {
    for (const value of [
      { session: row },
      { sessions: [row, { ...row, id: 4 }] },
      { trainingSession: row },
    ]) {
      assert.equal(json(value), JSON.stringify(value));
      assert.equal(printed(value), inspect(value, { depth: 5 }));
      assert.match(shown(value), /Opening keynote/);
      assert.doesNotMatch(shown(value), /redacted/);
    }
  });

  it('still hides the members with secret names', () => {
    const value = { session: { ...row, token: 'c4n4ry-1', otp: 123_456, speaker: { password: 'c4n4ry' } } };
    for (const text of [json(value), shown(value), printed(value)]) {
      assert.match(text, /Opening keynote/);
      assert.doesNotMatch(text, /c4n4ry|123456/);
    }
  });

  it('is hidden completely if anything in it looks like a key, or if it is a login', () => {
    const key = 'q8Zr2LmX0vT4kWc7NdYp1A';
    for (const value of [
      { session: { id: key, title: 'c4n4ry' } },
      { session: { id: 3, title: 'c4n4ry', hash: key } },
      { session: { id: 3, title: 'c4n4ry', deep: { list: [key] } } },
      { session: { id: 3, title: 'c4n4ry', lower: 'abcdefghijklmnopqrstuvwxyz' } },
      { session: { id: 9_283_749_283_749, title: 'c4n4ry' } },
      { session: { userId: 3, title: 'c4n4ry' } },
      { session: { user: { id: 3 }, title: 'c4n4ry' } },
      { sessions: [row, { id: key, title: 'c4n4ry' }] },
      { authSession: { id: 3, title: 'c4n4ry' } },
      { session_token: { id: 3, title: 'c4n4ry' } },
      { secret: { id: 3, title: 'c4n4ry' } },
    ])
      for (const text of [json(value), shown(value), printed(value)])
        assert.ok(!text.includes(key) && !text.includes('c4n4ry'), text);
  });

  it('is hidden if it is truncated, too large or not completely visible, without running its code', () => {
    let calls = 0;
    const spy = new Proxy({ id: 3 }, { get: () => calls++, getOwnPropertyDescriptor: () => void calls++ });
    for (const session of [
      spy,
      { id: 3, spy },
      { id: 3, keys: new Map([['a', 'c4n4ry']]) },
      { id: 3, bytes: Buffer.from('c4n4ry') },
    ])
      assert.match(shown({ session }), /redacted/);
    assert.match(shown({ session: { id: 3, many: Array.from({ length: 600 }, (_, at) => at) } }), /redacted/);
    assert.doesNotMatch(redactor.json('{"session":{"id":3,"title":"c4n4ry'), /c4n4ry/);
    assert.equal(calls, 0);
  });
});

describe('names of algorithms', () => {
  const names =
    'RSA-PSS RSASSA-PKCS1-v1_5 RSA-OAEP-256 ECDSA EdDSA Ed25519 HMAC HMAC-SHA256 hmac-sha256 SHA-256 sha512 md5 HS256 RS512 ES384 PS256 ' +
    'sha256WithRSAEncryption ecdsa-with-SHA256 ecdsa-p256-sha256 rsa-v1_5-sha256 rsa-sha2-512 ssh-rsa ssh-ed25519 ML-DSA-65';

  it('stay readable under secret names, but not under names of passwords', () => {
    for (const name of names.split(' ')) {
      const value = { signature: name, hmac: name, tokenAlgorithm: name };
      assert.equal(redactor.json(JSON.stringify(value)), JSON.stringify(value));
      assert.doesNotMatch(renderSnapshotText(dump(value)), /redacted/);
      assert.equal(redactor.text(`signature: '${name}'`), `signature: '${name}'`);
      assert.equal(redactor.query(`signature=${name}`), `signature=${name}`);
      assert.ok(!redactor.json(JSON.stringify({ password: name })).includes(name));
    }
  });

  it('do not let a signature with such a prefix through', () => {
    for (const value of [
      'sha256=5d41402abc4b2a76b9719d911017c592',
      'RSA-PSS-c4n4ry',
      'HS256c4n4ry99',
      '256384512128',
    ])
      assert.notEqual(redactor.text(`signature: '${value}'`), `signature: '${value}'`);
  });
});
