import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { themeScript, contentSecurityPolicy, scriptElement } from './assets.js';
import { baseStyles } from './base-styles.js';

describe('policy', () => {
  it("allows the page's assets by hash and nothing else", () => {
    const policy = contentSecurityPolicy({ assets: [baseStyles, themeScript] });
    const hash = createHash('sha256').update(themeScript.text).digest('base64');
    assert.ok(policy.includes(`script-src 'sha256-${hash}';`));
    assert.match(policy, /^default-src 'none'; style-src 'sha256-/);
    assert.match(policy, /base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    assert.match(contentSecurityPolicy({ framedBy: 'self' }), /frame-ancestors 'self'$/);
    assert.match(contentSecurityPolicy(), /script-src 'none'/);
    assert.match(contentSecurityPolicy({ scripts: 'self' }), /script-src 'self';/);
  });
});

describe('a script element', () => {
  it('has escaped attributes, without undefined ones', () => {
    assert.equal(
      scriptElement('/a?b&c', { nonce: '"x"', integrity: undefined, async: '' }),
      '<script src="/a?b&amp;c" nonce="&quot;x&quot;" async=""></script>',
    );
  });
});
