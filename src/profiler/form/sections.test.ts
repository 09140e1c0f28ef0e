import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sectionNumbers } from './sections.js';

describe('the numbers of a section', () => {
  it("a collector's number that is NaN or negative counts as 0", () => {
    const part = { summary: { size: { kind: 'count', of: (data: unknown) => Number(data) } } } as const;
    const [number] = sectionNumbers('own', part, (error) => assert.fail(String(error)));
    assert.equal(number?.column, 'own.size');
    const values = [Number.NaN, -1, Number.NEGATIVE_INFINITY, -0, 0, 3].map((data) => number?.of(data));
    assert.deepEqual(
      values.map((value) => (value === 0 ? 0 : value)),
      [0, 0, 0, 0, 0, 3],
    );
  });

  it('is 0, and reported, if the collector fails to compute it', () => {
    const failed: unknown[] = [];
    const fail = (): never => {
      throw new Error('broken');
    };
    const part = { summary: { size: { kind: 'count', of: fail } } } as const;
    const [number] = sectionNumbers('own', part, (error) => failed.push(error));
    assert.equal(number?.of({}), 0);
    assert.equal(failed.length, 1);
  });
});
