import type { EntityManager } from '@mikro-orm/core';
import type { Scope, ScopeKey } from '#scope';
import { createScopeKey } from '#scope';
import type { ActorUser } from './declare/behaviours.js';
import { forkFor } from './fork-for.js';

/** The unit of work of one request, with its actor. It is stored in the request's scope. */
export class RequestUnit {
  readonly scope: Scope;
  /** Whether `address` is set, and whether `locale` and `user` are set. */
  isAddressSet = false;
  isActorSet = false;
  address: string | undefined;
  locale: () => string | undefined = () => undefined;
  user: () => ActorUser | undefined = () => undefined;
  readonly #open = new Map<EntityManager, EntityManager>();

  readonly #subUnits: RequestUnit[] = [];

  /** `parent` is the unit of the request whose sub-request this is; both are closed together. */
  constructor(scope: Scope, parent?: RequestUnit) {
    this.scope = scope;
    if (parent !== undefined) parent.#subUnits.push(this);
  }

  /** Returns the request's fork of an ORM's entity manager, which is created on first use. */
  entityManager<Em extends EntityManager>(root: Em): Em {
    const present = this.#open.get(root);
    if (present !== undefined) return present as Em; // forked from this root
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

  /** Rolls back open transactions and forgets every entity. */
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
