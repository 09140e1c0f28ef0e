import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { currentScope, runInScope, createScopeKey, Scope } from './scope.js';

const user = createScopeKey<string>('user');

describe('Scope', () => {
  it('a child reads its parent until it has its own value, and does not change the parent', () => {
    const parent = new Scope();
    const child = new Scope(parent);
    parent.set(user, 'ada');
    assert.equal(child.get(user), 'ada');
    assert.equal(child.getOwn(user), undefined);
    child.set(user, 'bob');
    assert.equal(child.getOwn(user), 'bob');
    assert.equal(child.get(user), 'bob');
    assert.equal(parent.get(user), 'ada');
    child.delete(user);
    assert.equal(child.get(user), 'ada');
  });

  it('concurrent work keeps its own scope across awaits', async () => {
    const seen: (string | undefined)[] = [];
    const request = async (name: string): Promise<void> => {
      currentScope()?.set(user, name);
      await nextTurn();
      seen.push(currentScope()?.get(user));
    };
    await Promise.all(['a', 'b', 'c'].map((name) => runInScope(new Scope(), () => request(name))));
    assert.deepEqual(seen.sort(), ['a', 'b', 'c']);
    assert.equal(currentScope(), undefined);
  });
});
