import { describe, it } from 'node:test';
import fc from 'fast-check';
import { equalSecrets } from './random-token.js';

describe('equalSecrets', () => {
  it('compares texts of any length', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => equalSecrets(a, b) === (a === b)));
  });
});
