import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createSigner } from './signer.js';

const old = 'o'.repeat(32);

const fresh = 'f'.repeat(32);

describe('createSigner', () => {
  it('accepts what it signed, for that purpose and text only', () => {
    const signer = createSigner(fresh, 'the test');
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (purpose, text, other) => {
        const signature = signer.sign(purpose, text);
        assert.ok(signer.verify(purpose, text, signature));
        if (other !== text) assert.ok(!signer.verify(purpose, other, signature));
        if (other !== purpose) assert.ok(!signer.verify(other, text, signature));
        assert.ok(!signer.verify(purpose, text, signature.slice(1)));
      }),
    );
  });

  it('does not confuse where the purpose ends', () => {
    const signer = createSigner(fresh, 'the test');
    assert.notEqual(signer.sign('ab', 'c'), signer.sign('a', 'bc'));
  });

  it('still verifies with a former secret and signs with the first', () => {
    const before = createSigner(old, 'the test').sign('p', 't');
    const both = createSigner([fresh, old], 'the test');
    assert.ok(both.verify('p', 't', before));
    assert.notEqual(both.sign('p', 't'), before);
    assert.ok(!createSigner(fresh, 'the test').verify('p', 't', before));
  });

  it('refuses a secret that can be guessed', () => {
    assert.throws(() => createSigner('changeme', 'the test'), { code: 'SECURITY_WEAK_SECRET' });
    assert.throws(() => createSigner([], 'the test'), { code: 'SECURITY_SECRET_MISSING' });
  });
});
