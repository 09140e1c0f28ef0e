import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flattenError } from '#core/errors';
import { findRecordedError, shapeOf } from './recorded-error.js';

function bare(message: string, more: { cause?: unknown } = {}): Error {
  const error = new Error(message, more);
  error.stack = `Error: ${message}\n    at node:internal/x:2:3`;
  return error;
}

const reportOf = (error: Error) => flattenError(error, {});
const shop = { file: `${process.cwd()}/shop.mjs`, line: 85, column: 3 };

describe("a record's error", () => {
  it("has a fingerprint made from its class, its location or else its route, and its message's shape", () => {
    const of = (message: string, name = 'shop'): string | undefined =>
      findRecordedError({ exception: reportOf(bare(message)), route: { name } })?.fingerprint;
    assert.equal(of('User 7 of "ada" is missing'), of('User 81 of "bob" is missing'));
    assert.notEqual(of('mirror down'), of('key missing'));
    assert.notEqual(of('mirror down'), of('mirror down', 'other'));
    assert.match(of('x') ?? '', /^[\da-f]{8}$/);
  });

  it('without an application line has that of the query or call that failed with the same message', () => {
    const exception = reportOf(bare('canceling statement due to timeout'));
    const rows = (error: string | null): Record<string, unknown> => ({
      db: {
        queries: [
          { error: null, callSite: [{ ...shop, line: 1 }] },
          { error, callSite: [shop] },
        ],
      },
    });
    const locationWith = (sections: Record<string, unknown>): string | null | undefined =>
      findRecordedError({ exception, sections })?.location;
    assert.equal(locationWith(rows('canceling statement due to timeout')), 'shop.mjs:85');
    assert.equal(
      locationWith({
        http: { calls: [{ error: 'Error: canceling statement due to timeout', callSite: [shop] }] },
      }),
      'shop.mjs:85',
    );
    for (const other of [rows('syntax error'), rows(null), { db: null, x: [1], y: { z: [null, 1] } }])
      assert.equal(locationWith(other), null);
  });
});

describe("a message's shape", () => {
  it('has no numbers, ids and quoted text', () => {
    for (const [text, shape] of [
      ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED #'],
      ['No row 3f2504e0-4f89-11d3-9a0c-0305e82c3301', 'No row #'],
      [`Cannot read properties of null (reading 'color')`, 'Cannot read properties of null (reading "…")'],
      ['commit deadbeef1 of  facade', 'commit # of facade'],
    ])
      assert.equal(shapeOf(text ?? ''), shape);
  });

  it('is computed in linear time', () => {
    const started = performance.now();
    for (const part of ['"', '1', 'a1', "'“", 'f-'] as const) shapeOf(part.repeat(100_000));
    assert.ok(performance.now() - started < 2000);
  });
});
