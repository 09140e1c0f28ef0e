import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

describe('values under the names of secrets', () => {
  it('stay readable where they are switches, counts and words: in JSON and in values of the application', () => {
    const json = JSON.stringify(readable);
    assert.equal(redactor.json(json), json);
    const shown = renderSnapshotText(dump(readable));
    for (const value of Object.values(readable))
      assert.ok(shown.includes(String(value)), `${value} in ${shown}`);
    assert.doesNotMatch(shown, /redacted/);
  });

  it('stay readable in text as well, but for numbers of four digits or more', () => {
    const { apiKey: _, ...short } = readable;
    const text = Object.entries(short)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n');
    assert.equal(redactor.text(text), text);
    assert.equal(redactor.text('apiKey: 999'), 'apiKey: 999');
    for (const value of [1000, readable.apiKey])
      assert.equal(redactor.text(`apiKey: ${value}`), 'apiKey: [redacted]');
  });

  it('stay readable in the header of CORS', () => {
    const name = 'Access-Control-Allow-Credentials';
    assert.equal(redactor.value(name, 'true'), 'true');
    assert.equal(redactor.value(name.toLowerCase(), 'true'), 'true');
  });

  it('are hidden where a secret is short by its nature, also as numbers', () => {
    const json = redactor.json(JSON.stringify(hidden));
    const shown = renderSnapshotText(dump(hidden));
    for (const [name, value] of Object.entries(hidden)) {
      assert.ok(!json.includes(String(value)) && !shown.includes(String(value)), name);
      assert.ok(!redactor.url(`/a?${name}=${value}`).includes(String(value)), `${name} in a query`);
    }
    assert.equal(json.split('[redacted]').length - 1, Object.keys(hidden).length);
  });

  it('are the same when they are redacted again', () => {
    const once = redactor.json(JSON.stringify({ ...hidden, ...readable, password: 'c4n4ry99' }));
    assert.equal(redactor.json(once), once);
    const text = redactor.text('password: c4n4ry99, otp: 555123, signature: Ada');
    assert.equal(redactor.text(text), text);
  });
});
