import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { redactTokens } from './token-shapes.js';

const long = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
const tokens = [
  `eyJ${long}.${long}.${long}`,
  `sk_live_${long}`,
  `rk_test_${long}`,
  `whsec_${long}`,
  `ghp_${long}`,
  `github_pat_${long}`,
  `glpat-${long}`,
  'AKIAIOSFODNN7EXAMPLE',
  `xoxb-${long}`,
  `AIza${long}`,
  `npm_${long}`,
  `SG.${long}.${long}`,
  `sk-proj-${long}`,
  `hf_${long}`,
  `shpat_${long}`,
  `ya29.${long}`,
  `GOCSPX-${long}`,
];

describe('tokens by their form', () => {
  it('are hidden wherever they stand, and what is around them stays', () => {
    for (const token of tokens) {
      assert.equal(redactTokens(token), '[redacted]', token);
      assert.equal(
        redactTokens(`key "${token}" of a, ${token}.`).replaceAll(/\.$/g, ''),
        'key "[redacted]" of a, [redacted]',
        token,
      );
    }
  });

  it('are no other words, however they begin', () => {
    for (const text of [
      'eyJ',
      'a sk-ip',
      'github_pat_',
      'npm_config',
      'AKIA',
      'SG.a.b',
      'whsec_1',
      'mysk_live_x',
      'task-force-of-people',
    ])
      assert.equal(redactTokens(text), text);
  });

  it('take no text longer than it is, however often they nearly begin', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('eyJ', 'sk-', 'ghp_', '.', '-', 'a', ' ')), (parts) => {
        const text = parts.join('');
        assert.equal(redactTokens(redactTokens(text)), redactTokens(text));
      }),
    );
    assert.ok(redactTokens('eyJ'.repeat(200_000)).length > 0);
  });
});
