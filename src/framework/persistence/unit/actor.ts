import type { EntityManager } from '@mikro-orm/core';
import type { ActorUser } from '../declare/define-behaviours.js';

/**
 * The user and language for which an entity manager works. They are functions, because the facts of a request
 * become known one after the other; each is called when it is needed.
 */
export interface Actor {
  /** BCP 47 tag; undefined stands for the default language. */
  readonly locale?: () => string | undefined;
  readonly user?: () => ActorUser | undefined;
  /** Returns the current time; default: the system's clock. */
  readonly now?: () => Date;
}

/** In effect a private field of entity managers, whose class is not ours; entries live as long as they do. */
const bindings = new WeakMap<EntityManager, { actor: Actor; parent: EntityManager | undefined }>();
const noActor: Actor = {};

/** Returns the actor of an entity manager; an actor without facts if none was set. */
export function actorOf(em: EntityManager): Actor {
  return bindings.get(em)?.actor ?? noActor;
}

/** Returns the entity managers that `em` was forked from for the same actor, nearest first. */
export function ancestorsOf(em: EntityManager): readonly EntityManager[] {
  const parent = bindings.get(em)?.parent;
  return parent === undefined ? [] : [parent, ...ancestorsOf(parent)];
}

/** Sets the actor of an entity manager, and the entity manager that it was forked from. */
export function setActor(em: EntityManager, actor: Actor, parent: EntityManager | undefined): void {
  bindings.set(em, { actor, parent });
}
