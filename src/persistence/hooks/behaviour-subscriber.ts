import { mikroOrm } from '../orm/mikro-orm.js';
import type {
  AnyEntity,
  ChangeSet,
  EntityManager,
  EventArgs,
  EventSubscriber,
  FlushEventArgs,
} from '@mikro-orm/core';
import type { EntityPlan, EntityPlans } from '../plan/entity-plan.js';
import { fillSlugs } from '../slug/fill-slugs.js';
import { translationName } from '../store/translation-schema.js';
import { showLoaded } from '../translate/translation-reader.js';
import { TranslationStates } from '../unit/translation-state.js';
import { deleteTranslations } from '../translate/translation-store.js';
import {
  separate,
  separateNew,
  separateTexts,
  writeNew,
  writeTexts,
} from '../translate/translation-writer.js';
import { actorOf } from '../unit/actor.js';
import { objectIdOf } from '../orm/entity-internals.js';
import type { Locales } from '../unit/locales.js';
import { writeVersion, recordVersions } from '../version/record-versions.js';
import { Bypasses } from './bypasses.js';
import type { BypassPolicy } from './bypasses.js';
import { FlushWorks } from '../unit/flush-work.js';
import type { EntityWrite, FlushWork } from '../unit/flush-work.js';
import { forgetRemoved, softenRemovals } from './soft-delete.js';
import { trackFields, trackRelated } from './track-fields.js';
import { persistenceErrors } from '../orm/error-codes.js';

type Args = EventArgs<AnyEntity>;

/**
 * Applies all behaviours of all entities of one ORM. It stores nothing about a request: it reads facts from the entity
 * manager's actor when it writes, and attaches its data to the unit of work and its entities.
 */
export class BehaviourSubscriber implements EventSubscriber<AnyEntity> {
  readonly plans: EntityPlans;
  readonly locales: Locales;
  readonly bypasses: Bypasses;
  readonly states: TranslationStates = new TranslationStates();
  readonly #works = new WeakMap<object, FlushWorks>();

  constructor(plans: EntityPlans, locales: Locales, bypass: BypassPolicy = 'warn') {
    this.plans = plans;
    this.locales = locales;
    this.bypasses = new Bypasses(bypass);
  }

  getSubscribedEntities(): string[] {
    // An empty list would mean "every entity".
    return this.plans.size === 0 ? [translationName] : [...this.plans.keys()];
  }

  /** Returns the language in which entities are read and written by default. */
  localeOf(em: EntityManager): string {
    return this.locales.canonical(actorOf(em).locale?.());
  }

  async onLoad({ entity, em }: Args): Promise<void> {
    const plan = this.#plan(entity);
    if (plan === undefined || plan.translated.size === 0) return;
    await showLoaded(entity, plan, {
      em,
      states: this.states,
      locales: this.locales,
      locale: this.localeOf(em),
    });
  }

  onFlush({ uow, em }: FlushEventArgs): void {
    const works = new FlushWorks(this.localeOf(em), this);
    this.#works.set(uow, works);
    softenRemovals({ uow, em }, this.plans, works);
    separateTexts(uow, this.plans, works);
    trackRelated(uow, this.plans, em);
  }

  async beforeCreate({ entity, em, changeSet }: Args): Promise<void> {
    const write = this.#writeOf(em, entity);
    if (write === undefined || changeSet === undefined) return;
    const { plan, works, work } = write;
    const change = { kind: 'create', changed: new Set<string>() } as const;
    trackFields(write, change);
    const state = plan.translated.size > 0 ? this.states.open(entity, work.locale) : undefined;
    work.locale = state?.locale ?? work.locale;
    await fillSlugs(write, { ...change, state });
    if (state !== undefined) separateNew(changeSet, works);
  }

  async afterCreate({ entity, em }: Args): Promise<void> {
    const write = this.#writeOf(em, entity);
    if (write === undefined) return;
    if (write.plan.translated.size > 0) await writeNew(write);
    await recordVersions(write, 'create');
  }

  async beforeUpdate({ entity, em, changeSet }: Args): Promise<void> {
    const write = this.#writeOf(em, entity);
    if (write === undefined || changeSet === undefined) return;
    const { plan, works, work } = write;
    if (plan.translated.size > 0) separate(changeSet, plan, works);
    const changed = changedFields(changeSet, work);
    trackFields(write, { kind: work.isRemoval ? 'remove' : 'update', changed });
    if (!work.isRemoval) await fillSlugs(write, { kind: 'update', changed, state: this.states.find(entity) });
  }

  async afterUpdate({ entity, em, changeSet }: Args): Promise<void> {
    const write = this.#writeOf(em, entity);
    if (write === undefined || changeSet === undefined) return;
    if (write.plan.translated.size > 0) await writeTexts(write);
    await recordVersions(write, write.work.isRemoval ? 'remove' : 'update', changeSet.payload);
  }

  async afterDelete({ entity, em, changeSet }: Args): Promise<void> {
    const plan = this.#plan(entity);
    if (plan === undefined) return;
    const objectId = changeSet?.getSerializedPrimaryKey() ?? objectIdOf(entity);
    if (plan.translated.size > 0) await deleteTranslations(em, plan.name, objectId);
    if (plan.versioned !== undefined)
      await writeVersion(em, plan, { action: 'remove', objectId, locale: null, data: null });
  }

  afterFlush({ uow, em }: FlushEventArgs): void {
    const works = this.#works.get(uow);
    if (works !== undefined) forgetRemoved(works, em);
    this.#works.delete(uow);
  }

  #plan(entity: object): EntityPlan | undefined {
    return this.plans.get(entity.constructor.name);
  }

  #writeOf(em: EntityManager, entity: object): EntityWrite | undefined {
    const plan = this.#plan(entity);
    if (plan === undefined) return undefined;
    const uow = em.getUnitOfWork(false);
    const works = this.#works.get(uow) ?? new FlushWorks(this.localeOf(em), this);
    this.#works.set(uow, works);
    return { em, entity, plan, works, work: works.open(entity) };
  }
}

/** Returns the fields that the application changes with an update, including texts of another language. */
function changedFields({ payload, type, meta }: ChangeSet<AnyEntity>, work: FlushWork): Set<string> {
  const changed = new Set([...Object.keys(payload), ...work.texts.keys()]);
  if (type === mikroOrm.ChangeSetType.UPDATE) for (const key of meta.primaryKeys) changed.delete(key);
  return changed;
}

/** Returns the behaviours that an entity manager's ORM was started with; undefined if it was started without. */
export function findBehaviours(em: EntityManager): BehaviourSubscriber | undefined {
  for (const subscriber of em.getEventManager().getSubscribers()) {
    if (subscriber instanceof BehaviourSubscriber) return subscriber;
  }
  return undefined;
}

/**
 * Returns the behaviours that an entity manager's ORM was started with. Throws `PERSISTENCE_NOT_ENABLED` if there are
 * none.
 */
export function getBehaviours(em: EntityManager): BehaviourSubscriber {
  const behaviours = findBehaviours(em);
  if (behaviours !== undefined) return behaviours;
  throw persistenceErrors.create('PERSISTENCE_NOT_ENABLED', {});
}
