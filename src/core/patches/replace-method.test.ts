import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { followPromise, replaceMethod, shareUndo, undoAll } from '#core/patches';
import { followResult, watchConstruction } from './replace-method.js';

class Shelf {
  count(by: number): number {
    return 1 + by;
  }
}

const doubled = (target: object): (() => void) | undefined =>
  replaceMethod(target, 'count', (former, args, self) => 2 * Number(Reflect.apply(former, self, args)));

describe("replacing foreign objects' methods", () => {
  it('calls the original on the same object, and restores the object exactly', () => {
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

  it("keeps the method's property attributes, and lets others replace it", () => {
    const shelf = { count: (by: number) => 1 + by };
    doubled(shelf);
    assert.deepEqual(Object.keys(shelf), ['count']);
    shelf.count = () => 7;
    assert.equal(shelf.count(1), 7);
    assert.equal(Reflect.deleteProperty(shelf, 'count'), true);
  });

  it('replaces no method twice, and none that is missing or read-only', () => {
    const shelf = new Shelf();
    const undo = doubled(shelf);
    assert.equal(doubled(shelf), undefined);
    undo?.();
    assert.equal(
      replaceMethod(shelf, 'weigh', () => undefined),
      undefined,
    );
    assert.equal(doubled(Object.freeze(new Shelf())), undefined);
  });

  it('does not undo a later replacement by others', () => {
    const shelf = new Shelf();
    const undo = doubled(shelf);
    const ours = shelf.count.bind(shelf);
    shelf.count = (by) => ours(by) + 1;
    undo?.();
    assert.equal(shelf.count(2), 7);
  });

  it('undoes in reverse order', () => {
    const order: number[] = [];
    undoAll([() => order.push(1), undefined, () => order.push(2)])();
    assert.deepEqual(order, [2, 1]);
  });

  it('shares one change among its users, until the last one releases it', () => {
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

  it('returns a promise that settles like the observed one', async () => {
    const seen: unknown[] = [];
    const note = { done: (value: unknown) => seen.push(value), failed: (error: unknown) => seen.push(error) };
    for (const value of [3, undefined, null, {}]) assert.equal(followPromise(value, note), undefined);
    class Own extends Promise<string> {}
    const followed = followPromise(Own.resolve('found'), note);
    assert.ok(followed instanceof Own);
    assert.equal(await followed, 'found');
    const error = new Error('lost');
    await assert.rejects(async () => followPromise(Promise.reject(error), note), error);
    assert.deepEqual(seen, ['found', error]);
  });

  it('observes the end of a function, whatever it returns or throws', async () => {
    const seen: unknown[] = [];
    const note = { done: (value: unknown) => seen.push(value), failed: (error: unknown) => seen.push(error) };
    assert.equal(
      followResult(() => 3, note),
      3,
    );
    assert.equal(await followResult(async () => 4, note), 4);
    const error = new Error('lost');
    const fail = (): never => {
      throw error;
    };
    assert.throws(() => followResult(fail, note), error);
    await assert.rejects(
      followResult(async () => fail(), note),
      error,
    );
    assert.deepEqual(seen, [3, 4, error, error]);
    // oxlint-disable-next-line unicorn/no-thenable -- as libraries have it
    const odd = { then: 1 };
    for (const value of ['then', odd]) assert.equal(followPromise(value, note), undefined);
  });

  it('keeps an uncaught rejection unhandled', () => {
    const program = `
      import { followPromise } from '#core/patches';
      process.on('unhandledRejection', (error) => console.log('uncaught', error.message));
      const note = { done: () => undefined, failed: (error) => console.log('seen', error.message) };
      followPromise(Promise.reject(new Error('lost')), note);
      followPromise(Promise.reject(new Error('caught')), note).catch(() => undefined);`;
    const out = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
    });
    assert.deepEqual(out.trim().split('\n'), ['seen lost', 'seen caught', 'uncaught lost']);
  });

  it("keeps the awaiting caller's frames", async () => {
    const fail = async (): Promise<never> => {
      await Promise.resolve();
      throw new Error('late');
    };
    const note = { done: () => undefined, failed: () => undefined };
    async function waitingForIt(): Promise<void> {
      await followPromise(fail(), note);
    }
    await assert.rejects(waitingForIt(), (error: Error) => {
      assert.match(error.stack ?? '', /at async waitingForIt/);
      return true;
    });
  });
});

class Failure extends Error {
  readonly code: string;
  constructor(message: string, code: string) {
    super(message, { cause: code });
    this.code = code;
  }
}
class Refusal extends Failure {}

const stackOf = (make: () => Error): string | undefined => make().stack?.replaceAll(/:\d+/g, '');

describe('watching error construction', () => {
  it('reports their arguments, also for subclasses, until it is undone', async () => {
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

  it('leaves their stacks unchanged', () => {
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

  it('happens once, and not for classes that extend nothing', () => {
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
