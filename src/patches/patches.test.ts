import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onSettled, replaceMethod, shareUndo, undoAll } from '#patches';

class Shelf {
  count(by: number): number {
    return 1 + by;
  }
}
const doubled = (target: object): (() => void) | undefined =>
  replaceMethod(
    target,
    'count',
    (former) =>
      function count(...args) {
        return 2 * Number(Reflect.apply(former, this, args));
      },
  );

describe('replacing methods of foreign objects', () => {
  it('calls the former on the same object, and restores exactly what was there', () => {
    const shelf = new Shelf();
    const undo = doubled(shelf);
    assert.equal(shelf.count(2), 6);
    assert.deepEqual(Object.keys(shelf), []);
    undo?.();
    assert.equal(Object.hasOwn(shelf, 'count'), false);
    assert.equal(shelf.count(2), 3);
    const own = Object.getOwnPropertyDescriptor(Shelf.prototype, 'count');
    doubled(Shelf.prototype)?.();
    assert.deepEqual(Object.getOwnPropertyDescriptor(Shelf.prototype, 'count'), own);
  });

  it('replaces none twice, none that is missing and none that cannot be changed', () => {
    const shelf = new Shelf();
    const undo = doubled(shelf);
    assert.equal(doubled(shelf), undefined);
    undo?.();
    assert.equal(
      replaceMethod(shelf, 'weigh', (former) => former),
      undefined,
    );
    assert.equal(doubled(Object.freeze(new Shelf())), undefined);
  });

  it('leaves alone what somebody else has put in front meanwhile', () => {
    const shelf = new Shelf();
    const undo = doubled(shelf);
    const ours = shelf.count.bind(shelf);
    shelf.count = (by) => ours(by) + 1;
    undo?.();
    assert.equal(shelf.count(2), 7);
  });

  it('undoes the last first', () => {
    const order: number[] = [];
    undoAll([() => order.push(1), undefined, () => order.push(2)])();
    assert.deepEqual(order, [2, 1]);
  });

  it('shares one change among all who need it, until the last is through', () => {
    const shelf = new Shelf();
    const share = shareUndo(doubled);
    const [first, second] = [share(shelf), share(shelf)];
    first();
    first();
    assert.equal(shelf.count(2), 6);
    second();
    assert.equal(shelf.count(2), 3);
    const third = share(shelf);
    assert.equal(shelf.count(2), 6);
    third();
    assert.equal(shelf.count(2), 3);
  });

  it('observes a promise without catching for anybody', async () => {
    const seen: unknown[] = [];
    const note = { done: (value: unknown) => seen.push(value), failed: (error: unknown) => seen.push(error) };
    assert.equal(onSettled(3, note), false);
    const failing = Promise.reject(new Error('lost'));
    assert.equal(onSettled(failing, note), true);
    assert.equal(onSettled(Promise.resolve('found'), note), true);
    await assert.rejects(failing, /lost/);
    assert.deepEqual(seen.map(String).toSorted(), ['Error: lost', 'found']);
  });
});
