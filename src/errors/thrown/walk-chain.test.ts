import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { walkChain } from './walk-chain.js';

/** Errors of which each is the cause of the one before. */
function chainOf(length: number): Error[] {
  const errors: Error[] = [];
  for (let at = length - 1; at >= 0; at--) errors.unshift(new Error(`error ${at}`, { cause: errors[0] }));
  return errors;
}

describe('a chain of causes', () => {
  it('goes from the outer error inwards; what is not read is counted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), (length, limit) => {
        const errors = chainOf(length);
        const { links, more, circularTo } = walkChain(errors[0], limit, new Set());
        assert.deepEqual(
          links.map(({ thrown }) => thrown),
          errors.slice(0, limit),
        );
        assert.equal(links.length + more, length);
        assert.equal(circularTo, undefined);
      }),
    );
  });

  it('that is a circle ends at the error that was met, and names it', () => {
    const [outer, middle, inner] = chainOf(3);
    assert.ok(outer !== undefined && middle !== undefined && inner !== undefined);
    inner.cause = middle;
    const { links, circularTo, more } = walkChain(outer, 50, new Set());
    assert.deepEqual([links.length, circularTo, more], [3, middle, 0]);
    const own = new Error('own');
    own.cause = own;
    assert.equal(walkChain(own, 50, new Set()).circularTo, own);
  });

  it('that is a circle behind its bound is counted once', () => {
    const errors = chainOf(10);
    const last = errors.at(-1);
    assert.ok(last !== undefined);
    last.cause = errors[7];
    assert.equal(walkChain(errors[0], 5, new Set()).more, 5);
  });

  it('ends at an error of another chain', () => {
    const [outer, inner] = chainOf(2);
    const met = new Set<unknown>([inner]);
    const { links, circularTo } = walkChain(outer, 50, met);
    assert.deepEqual([links.length, circularTo], [1, inner]);
    assert.ok(met.has(outer));
  });

  it('may be of anything that can be thrown; equal texts are no circle', () => {
    const error = new Error('outer', { cause: 'text' });
    assert.deepEqual(
      walkChain(error, 50, new Set(['text'])).links.map(({ thrown }) => thrown),
      [error, 'text'],
    );
    for (const value of [undefined, null, 0, '', Symbol('thrown'), () => undefined, {}])
      assert.equal(walkChain(value, 50, new Set()).links.length, 1);
  });

  it('runs no getter on its way', () => {
    const error = new Error('outer');
    Object.defineProperty(error, 'cause', { get: () => assert.fail('it ran') });
    assert.equal(walkChain(error, 1, new Set()).more, 0);
    const proxy = new Proxy(new Error('inner'), {
      getOwnPropertyDescriptor: () => assert.fail('a trap ran'),
    });
    assert.equal(walkChain(new Error('outer', { cause: proxy }), 1, new Set()).more, 1);
  });
});
