import { FlushMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/core';
import type { ActorUser } from '../declare/behaviours.js';

/**
 * Who works with an entity manager, in which language, from where. Functions, since the facts of a request become
 * known one after the other; each is asked at the moment it is needed.
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
const nobody: Actor = {};

/**
 * A fork of `em` that works for `actor`, with a unit of work of its own, written only when `flush` is called. Forks of
 * it stay with the actor; inside `transactional` it stands for the transaction's own entity manager.
 */
export function forkFor<Em extends EntityManager>(
  em: Em,
  actor: Actor,
  options: Parameters<EntityManager['fork']>[0] = {},
): Em {
  return bind(em.fork({ flushMode: FlushMode.COMMIT, useContext: true, ...options }), actor, undefined);
}

/** The actor of an entity manager; an actor without facts where none was given. */
export function actorOf(em: EntityManager): Actor {
  return bindings.get(em)?.actor ?? nobody;
}

/** The entity managers that `em` was forked from, for the same actor; nearest first. */
export function ancestorsOf(em: EntityManager): readonly EntityManager[] {
  const parent = bindings.get(em)?.parent;
  return parent === undefined ? [] : [parent, ...ancestorsOf(parent)];
}

function bind<Em extends EntityManager>(em: Em, actor: Actor, parent: EntityManager | undefined): Em {
  bindings.set(em, { actor, parent });
  const fork = em.fork.bind(em);
  em.fork = (options) => bind(fork(options), actor, em);
  return em;
}
