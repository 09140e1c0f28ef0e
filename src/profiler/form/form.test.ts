import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileAnyForm } from './form.js';

describe('a form', () => {
  it('that is none is refused', () => {
    for (const form of ['nothing', 'constructor', { a: 'toString' }])
      assert.throws(() => compileAnyForm(form), RangeError);
  });
});
