import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchConstruction } from './watch-construction.js';

class Failure extends Error {
  readonly code: string;
  constructor(message: string, code: string) {
    super(message, { cause: code });
    this.code = code;
  }
}
class Refusal extends Failure {}

const stackOf = (make: () => Error): string | undefined => make().stack?.replaceAll(/:\d+/g, '');

describe('the construction of errors of a class', () => {
  it('is seen with what they are made of, theirs and those of classes that extend it, until it is undone', async () => {
    const made: object[] = [];
    const undo = watchConstruction(Failure.prototype, (error) => made.push(error));
    const [failure, refusal] = [new Failure('out of paper', 'A'), new Refusal('not you', 'B')];
    assert.deepEqual(made, [failure, refusal]);
    assert.deepEqual([failure.cause, failure.code, refusal.message], ['A', 'A', 'not you']);
    assert.ok(refusal instanceof Refusal && refusal instanceof Error);
    assert.equal(Failure.captureStackTrace, Error.captureStackTrace);
    undo?.();
    new Failure('later', 'C');
    assert.equal(made.length, 2);
    assert.equal(Object.getPrototypeOf(Failure), Error);
  });

  it('leaves their stacks as they are', () => {
    const make = (): Error => new Refusal('out of paper', 'A');
    const without = stackOf(make);
    const undo = watchConstruction(Failure.prototype, () => undefined);
    assert.equal(stackOf(make), without);
    const descriptor = Object.getOwnPropertyDescriptor(make(), 'stack');
    undo?.();
    const own = Object.getOwnPropertyDescriptor(make(), 'stack');
    assert.deepEqual(
      [descriptor?.enumerable, descriptor?.configurable],
      [own?.enumerable, own?.configurable],
    );
  });

  it('is watched once, and not of what extends nothing', () => {
    const undo = watchConstruction(Failure.prototype, () => undefined);
    assert.ok(undo);
    assert.equal(
      watchConstruction(Failure.prototype, () => undefined),
      undefined,
    );
    undo();
    class Plain {}
    for (const prototype of [Plain.prototype, Object.create(null) as object])
      assert.equal(
        watchConstruction(prototype, () => undefined),
        undefined,
      );
  });
});
