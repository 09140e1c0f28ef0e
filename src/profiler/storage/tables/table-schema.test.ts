import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { schemaVersion, tableStatements } from './table-schema.js';

/** Enough of a dialect for the statements, with unchanged names and types. */
const dialect = {
  toReadable: (name: string) => name,
  types: {
    id: 'id',
    text: 'text',
    integer: 'integer',
    real: 'real',
    json: 'json',
    bytes: 'bytes',
  },
} as unknown as Parameters<typeof tableStatements>[0]; // the members that are used

describe("a store's tables", () => {
  it('have a new version if their columns change, so that older stores are set aside', () => {
    const digest = createHash('sha256')
      .update(tableStatements(dialect).join('\n'))
      .digest('hex')
      .slice(0, 16);
    assert.deepEqual(
      { schemaVersion, digest },
      { schemaVersion: 20, digest: '8abb8d7770a7d5b3' },
      'The tables differ from those of this version: raise schemaVersion in table-schema.ts, and write both here.',
    );
  });
});
