import { relative } from 'node:path';
import type { EntityManager } from '@mikro-orm/core';
import { captureCallSites, pathOfFile } from '#core/errors';
import { anObject, checkValue } from '#core/options';
import { createScopeKey, type ScopeKey } from '#core/scope';
import { entityManager, findBehaviours } from './hooks/behaviour-subscriber.js';
import { mikroOrm } from './orm/mikro-orm.js';
import { showAgain } from './query/translations.js';
import { type Actor, ancestorsOf, setActor } from './unit/actor.js';

/**
 * Creates a fork of `em` that works for `actor`, with its own unit of work, which is only written by `flush`. Its own
 * forks share the actor; inside its own `transactional` it acts as the transaction's entity manager.
 */
export function forkFor<Em extends EntityManager>(em: Em, actor: Actor): Em {
  checkValue('forkFor()', 'em', em, entityManager);
  checkValue('forkFor()', 'actor', actor, anObject('an Actor'));
  const fork = em.fork({ flushMode: mikroOrm.FlushMode.COMMIT, useContext: true });
  return bind(fork, actor, undefined);
}

function bind<Em extends EntityManager>(em: Em, actor: Actor, parent: EntityManager | undefined): Em {
  setActor(em, actor, parent);
  ignoreForeignContexts(em);
  const fork = em.fork.bind(em);
  let forksRows = false;
  em.fork = (options) => bind(fork(options), forksRows ? { ...actor, locale: () => undefined } : actor, em);

  const refresh = em.refresh.bind(em);
  const refreshTexts = async (...args: Parameters<EntityManager['refresh']>): Promise<unknown> => {
    forksRows = true; // MikroORM forks synchronously, and this fork must load the row's own texts
    const refreshing = refresh(...args);
    forksRows = false;
    const refreshed = await refreshing;
    if (refreshed !== null) await showAgain(em, args[0]);
    return refreshed;
  };
  em.refresh = refreshTexts as typeof em.refresh; // returns what the original returns

  const storeCache = em.storeCache.bind(em);
  em.storeCache = (config, key, data) => {
    // Otherwise all languages would share a cached result, with texts in the first one.
    const isTranslated = [...(findBehaviours(em)?.plans.values() ?? [])].some(
      ({ translated }) => translated.size > 0,
    );
    return isTranslated ? Promise.resolve() : storeCache(config, key, data);
  };
  return em;
}

/** MikroORM finds the current transaction by asynchronous context. Another actor's transaction is ignored. */
function ignoreForeignContexts<Em extends EntityManager>(em: Em): void {
  const getContext = em.getContext.bind(em);
  em.getContext = (validate) => {
    const found = getContext(validate);
    return found === em || ancestorsOf(found).includes(em) ? found : em;
  };
}

/** A flush, commit or transaction that has not ended yet. */
interface RunningWrite {
  readonly what: string;
  /** `file:line` of the application's call, as far as V8 knows it. */
  readonly location: () => string;
}

/** One request's unit of work, with its actor. Stored in the request's scope. */
export class RequestUnit {
  readonly #actor: Actor;
  readonly #open = new Map<EntityManager, EntityManager>();

  #onLateWrite: ((write: RunningWrite) => void) | undefined;
  readonly #running = new Map<Promise<unknown>, RunningWrite>();
  readonly #noted = new Set<RunningWrite>();

  constructor(actor: Actor) {
    this.#actor = actor;
  }

  /** Returns the request's fork of an ORM's entity manager, which is created on first use. */
  entityManager<Em extends EntityManager>(root: Em): Em {
    const present = this.#open.get(root);
    if (present !== undefined) return present as Em; // forked from this root
    const em = forkFor(root, this.#actor);
    this.#open.set(root, em);
    this.#watch(em, 'flush');
    this.#watch(em, 'commit');
    this.#watch(em, 'transactional');
    return em;
  }

  /** Notes the writes that are still running when the response is ready: it cannot depend on their result. */
  noteRunning(): void {
    for (const write of this.#running.values()) this.#noted.add(write);
  }

  /** The noted writes, and the writes still running. */
  get unawaited(): readonly RunningWrite[] {
    return [...new Set([...this.#noted, ...this.#running.values()])];
  }

  /** Waits until no write is running any more, including failing ones. */
  async finishWrites(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.keys());
  }

  /** Tracks calls to a writing method: they must end before the unit of work is cleared. */
  #watch(em: EntityManager, method: 'flush' | 'commit' | 'transactional'): void {
    const write: (...given: never[]) => Promise<unknown> = em[method].bind(em);
    const watched = async (...given: never[]): Promise<unknown> => {
      const sites = captureCallSites(watched, { depth: 30, limit: 1 });
      const running = {
        what: method === 'transactional' ? 'transaction' : method,
        location: () => locationOf(sites()),
      };
      this.#onLateWrite?.(running);
      const work = write(...given);
      this.#running.set(work, running);
      try {
        return await work; // a separate promise: if it is not awaited, Node still reports its rejection
      } finally {
        this.#running.delete(work);
      }
    };
    Reflect.set(em, method, watched);
  }

  /** The request's entity managers, one for each ORM that was used. */
  get opened(): readonly EntityManager[] {
    return [...this.#open.values()];
  }

  /**
   * Rolls back open transactions and forgets all entities. Calls `onLateWrite` for each write that begins afterwards.
   */
  async close(onLateWrite?: (write: RunningWrite) => void): Promise<void> {
    this.#onLateWrite = onLateWrite;
    const { opened } = this;
    this.#open.clear();
    for (const em of opened) {
      try {
        if (em.isInTransaction()) await em.rollback();
      } finally {
        em.clear();
      }
    }
  }
}

function locationOf([site]: ReturnType<ReturnType<typeof captureCallSites>>): string {
  return site ? `${relative(process.cwd(), pathOfFile(site.file))}:${site.line}` : 'an unknown location';
}

export const unitKey: ScopeKey<RequestUnit> = createScopeKey<RequestUnit>('unit of work');
