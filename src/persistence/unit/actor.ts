import type { EntityManager } from '@mikro-orm/core';
import type { ActorUser } from '../declare/behaviours.js';

/**
 * The user, language and address for which an entity manager works. Functions, because the facts of a request become
 * known one after the other; each is called when it is needed.
 */
export interface Actor {
  /** BCP 47 tag; undefined: the default language. */
  readonly locale?: () => string | undefined;
  readonly user?: () => ActorUser | undefined;
  readonly address?: () => string | undefined;
  /** The clock; default the system's. */
  readonly now?: () => Date;
}

interface Binding {
  readonly actor: Actor;
  readonly parent: EntityManager | undefined;
}

/** Only a private field of entity managers, kept outside since the class is not ours; it lives as long as they do. */
const bindings = new WeakMap<EntityManager, Binding>();
const noActor: Actor = {};

/** The actor of an entity manager; an actor without facts where none was given. */
export function actorOf(em: EntityManager): Actor {
  return bindings.get(em)?.actor ?? noActor;
}

/** The entity managers that `em` was forked from, for the same actor; nearest first. */
export function ancestorsOf(em: EntityManager): readonly EntityManager[] {
  const parent = bindings.get(em)?.parent;
  return parent === undefined ? [] : [parent, ...ancestorsOf(parent)];
}

/** Gives an entity manager its actor. */
export function setActor(em: EntityManager, actor: Actor, parent: EntityManager | undefined): void {
  bindings.set(em, { actor, parent });
}
