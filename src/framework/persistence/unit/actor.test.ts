import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actorOf, ancestorsOf, setActor } from './actor.js';

describe("an entity manager's actor", () => {
  it('is the given one, and forks know their origin', () => {
    const managers = Array.from({ length: 3 }, () => ({}) as never); // only their identity counts
    const [root, fork, inner] = managers as [never, never, never]; // three were created
    const actor = { locale: (): string => 'fr' };
    setActor(fork, actor, root);
    setActor(inner, actor, fork);
    assert.equal(actorOf(inner), actor);
    assert.deepEqual(actorOf(root), {});
    assert.deepEqual(ancestorsOf(inner), [fork, root]);
    assert.deepEqual(ancestorsOf(root), []);
  });
});
