import type { EntityManager, EntitySchema, MikroORM } from '@mikro-orm/core';
import { forkFor, localeOf, showIn } from '#framework/persistence';
import type { Actor } from '#framework/persistence';

/** A database that the contract suite runs on. */
export interface TestDatabase {
  /** An ORM with fresh tables for these entities; `defaultLocale` en. */
  open(entities: EntitySchema[]): Promise<MikroORM>;
  close(): Promise<void>;
}

/** The facts of a request, passed as values. */
export interface Facts {
  readonly locale?: string;
  readonly user?: string;
  readonly now?: Date;
}

export function actorOf({ locale, user, now }: Facts): Actor {
  return {
    locale: () => locale,
    user: () => (user === undefined ? undefined : { identifier: user }),
    ...(now && { now: () => now }),
  };
}

/** Runs work with its own entity manager, as a request would. */
export async function asRequest<Result>(
  orm: MikroORM,
  facts: Facts,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  return work(forkFor(orm.em, actorOf(facts)));
}

/** Writes texts of an entity in other languages, then shows it in its own again. */
export async function translate<Entity extends object>(
  em: EntityManager,
  entity: Entity,
  texts: Readonly<Record<string, Partial<Entity>>>,
): Promise<void> {
  await em.flush();
  const own = localeOf(em, entity);
  for (const [locale, fields] of Object.entries(texts)) {
    await showIn(em, entity, locale);
    Object.assign(entity, fields);
    await em.flush();
  }
  await showIn(em, entity, own);
}
