import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isCodedError } from './coded-error.js';
import { defineErrorCodes } from './coded-error.js';

const codes = defineErrorCodes({
  TEST_TWICE: { message: 'Route "{name}" stands twice.', fix: 'Rename {name}.' },
  TEST_PLAIN: { message: 'Nothing to fill in.' },
});

describe('defineErrorCodes', () => {
  it('fills message and fix, and keeps the cause', () => {
    const cause = new Error('inner');
    const error = codes.create('TEST_TWICE', { name: 'home' }, { cause });
    assert.equal(error.code, 'TEST_TWICE');
    assert.equal(error.message, 'Route "home" stands twice.');
    assert.equal(error.fix, 'Rename home.');
    assert.equal(error.cause, cause);
    assert.ok(isCodedError(error));
  });

  it('starts the stack at the call of create', () => {
    const [, first = ''] = (codes.create('TEST_PLAIN', {}).stack ?? '').split('\n');
    assert.match(first, /coded-error\.test\./);
  });

  it('inserts values literally: no replacement patterns, no second filling', () => {
    assert.equal(
      codes.create('TEST_TWICE', { name: '$& {name}' }).message,
      'Route "$& {name}" stands twice.',
    );
    assert.equal('cause' in codes.create('TEST_PLAIN', {}), false);
  });

  it('isCodedError survives a hostile proxy', () => {
    const hostile = new Proxy(
      {},
      {
        getPrototypeOf: () => {
          throw new Error('trap');
        },
      },
    );
    assert.equal(isCodedError(hostile), false);
  });
});
