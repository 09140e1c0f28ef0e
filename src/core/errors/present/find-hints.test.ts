import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findHints } from './find-hints.js';
import { flattenError } from '../thrown/flatten-error.js';

const hints = (thrown: unknown) => findHints(flattenError(thrown, { libraryFolders: [] }));
const caught = (action: () => unknown): unknown => {
  try {
    return action();
  } catch (error) {
    return error;
  }
};

describe('findHints', () => {
  it("begins with the errors' own fixes", () => {
    const error = Object.assign(new Error('x'), { fix: 'Do this.', code: 'ENOENT' });
    assert.equal(hints(error)[0], 'Do this.');
    assert.match(hints(error)[1] ?? '', /file or folder does not exist/);
  });

  it("adds causes that Node's and the language's messages do not name", () => {
    assert.match(hints(caught(() => JSON.parse('<html>') as unknown))[0] ?? '', /not JSON/);
    assert.match(
      hints(new Error('x', { cause: Object.assign(new Error('y'), { code: 'ECONNREFUSED' }) }))[0] ?? '',
      /Nothing is listening/,
    );
    assert.match(hints('text')[0] ?? '', /not an Error/);
    assert.match(hints(new Error('No routes found for "/nix/"'))[0] ?? '', /with and without/);
    assert.deepEqual(hints(new Error('of our own')), []);
  });
});
