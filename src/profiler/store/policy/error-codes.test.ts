import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isCodedError } from '#coded-error';
import { storeErrors } from './error-codes.js';

describe('errors of stores', () => {
  it('each have a code and a fix', () => {
    const error = storeErrors.create('PROFILER_STORE_CLIENT', { name: 'pg' });
    assert.ok(isCodedError(error));
    assert.match(error.fix ?? '', /npm install pg/);
  });
});
