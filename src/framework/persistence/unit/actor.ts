import type { EntityManager } from '@mikro-orm/core';
import type { ActorUser } from '../declare/define-behaviours.js';

/**
 * The user and language for which an entity manager works. They are functions, called when needed, because the
 * request's facts become known one by one.
 */
export interface Actor {
  /** BCP 47 tag; undefined means the default language. */
  readonly locale?: () => string | undefined;
  readonly user?: () => ActorUser | undefined;
  /** Returns the current time; default: the system's clock. */
  readonly now?: () => Date;
}

/** Serves as a private field of entity managers, whose class belongs to MikroORM; entries live as long as they do. */
const bindings = new WeakMap<EntityManager, { actor: Actor; parent: EntityManager | undefined }>();
const noActor: Actor = {};

/** Returns an entity manager's actor; an empty actor if none was set. */
export function actorOf(em: EntityManager): Actor {
  return bindings.get(em)?.actor ?? noActor;
}

/** Returns the entity managers that `em` was forked from for the same actor, nearest first. */
export function ancestorsOf(em: EntityManager): readonly EntityManager[] {
  const parent = bindings.get(em)?.parent;
  return parent === undefined ? [] : [parent, ...ancestorsOf(parent)];
}

/** Sets an entity manager's actor, and the entity manager it was forked from. */
export function setActor(em: EntityManager, actor: Actor, parent: EntityManager | undefined): void {
  bindings.set(em, { actor, parent });
}
