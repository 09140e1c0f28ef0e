import type { EntityManager } from '@mikro-orm/core';
import type { Scope, ScopeKey } from '#scope';
import { createScopeKey } from '#scope';
import type { ActorUser } from './declare/behaviours.js';
import { forkFor } from './fork-for.js';

/** What one request stores and who it is; kept in the request's own scope. */
export class RequestUnit {
  readonly scope: Scope;
  /** Whether `address` was learned; whether `locale` and `user` were. */
  knowsPlace = false;
  knowsActor = false;
  address: string | undefined;
  locale: () => string | undefined = () => undefined;
  user: () => ActorUser | undefined = () => undefined;
  readonly #open = new Map<EntityManager, EntityManager>();

  readonly #subUnits: RequestUnit[] = [];

  /** `parent`: the unit of the request that this one is a sub-request of; they are closed together. */
  constructor(scope: Scope, parent?: RequestUnit) {
    this.scope = scope;
    if (parent !== undefined) parent.#subUnits.push(this);
  }

  /** The request's fork of an ORM's entity manager, made on first use. */
  entityManager<Em extends EntityManager>(root: Em): Em {
    const present = this.#open.get(root);
    if (present !== undefined) return present as Em; // made from this very root
    const em = forkFor(root, {
      address: () => this.address,
      locale: () => this.locale(),
      user: () => this.user(),
    });
    this.#open.set(root, em);
    return em;
  }

  /** The entity managers of the request, one for each ORM that was used. */
  get opened(): readonly EntityManager[] {
    return [...this.#open.values()];
  }

  /** Rolls back what was begun and never committed, and forgets every entity. */
  async close(): Promise<void> {
    const { opened } = this;
    this.#open.clear();
    for (const unit of this.#subUnits.splice(0)) await unit.close();
    for (const em of opened) {
      try {
        if (em.isInTransaction()) await em.rollback();
      } finally {
        em.clear();
      }
    }
  }
}

export const unitKey: ScopeKey<RequestUnit> = createScopeKey<RequestUnit>('unit of work');
