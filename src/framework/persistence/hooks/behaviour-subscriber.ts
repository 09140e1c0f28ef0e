import type {
  AnyEntity,
  ChangeSet,
  EntityManager,
  EventArgs,
  EventSubscriber,
  FlushEventArgs,
} from '@mikro-orm/core';
import { checkValue, objectWith, type OptionType } from '#core/options';
import { aroundComparison, entityValues, mikroOrm, objectIdOf } from '../orm/mikro-orm.js';
import { deleteTranslations, showLoaded, translationName } from '../translate/translation-store.js';
import {
  type EntityWrite,
  type TranslationState,
  type TranslationStates,
} from '../unit/translation-state.js';
import { persistenceErrors } from '../orm/error-codes.js';
import type { EntityPlan, EntityPlans, TrackedField } from '../plan/compile-plan.js';
import {
  hideShownTexts,
  separate,
  separateTexts,
  writeNew,
  writeTexts,
} from '../translate/translation-writer.js';
import { actorOf } from '../unit/actor.js';
import { recordVersions, writeVersion } from '../version/record-versions.js';

type Args = EventArgs<AnyEntity>;

/** Applies behaviours for all entities in one ORM. Request facts come from the entity manager's actor. */
export class BehaviourSubscriber implements EventSubscriber<AnyEntity> {
  readonly plans: EntityPlans;
  readonly states: TranslationStates;

  constructor(plans: EntityPlans, states: TranslationStates) {
    this.plans = plans;
    this.states = states;
  }

  getSubscribedEntities(): string[] {
    // An empty list would mean "every entity".
    return this.plans.size === 0 ? [translationName] : [...this.plans.keys()];
  }

  /** Returns the language in which entities are read and written by default. */
  localeOf(em: EntityManager): string {
    return this.states.canonical(actorOf(em).locale?.());
  }

  async onLoad({ entity, em }: Args): Promise<void> {
    const plan = this.#plan(entity);
    if (plan === undefined || plan.translated.size === 0) return;
    await showLoaded(entity, plan, { em, states: this.states, locale: this.localeOf(em) });
  }

  beforeFlush({ uow }: FlushEventArgs): void {
    aroundComparison(uow, () => hideShownTexts(uow, this.states));
  }

  onFlush({ uow, em }: FlushEventArgs): void {
    separateTexts(uow, { plans: this.plans, states: this.states, locale: this.localeOf(em) });
  }

  beforeCreate({ entity, em }: Args): void {
    const write = this.#writeOf(em, entity);
    if (write !== undefined) trackFields(write);
  }

  async afterCreate({ entity, em }: Args): Promise<void> {
    const write = this.#writeOf(em, entity);
    if (write === undefined) return;
    await writeNew(write, this.states.defaultLocale);
    await recordVersions(write, 'create');
  }

  beforeUpdate({ entity, em, changeSet }: Args): void {
    const write = this.#writeOf(em, entity);
    if (write === undefined || changeSet === undefined) return;
    const { plan, state } = write;
    if (state !== undefined) separate(changeSet, plan, { state, defaultLocale: this.states.defaultLocale });
    trackFields(write, changedFields(changeSet, state));
  }

  async afterUpdate({ entity, em, changeSet }: Args): Promise<void> {
    const write = this.#writeOf(em, entity);
    if (write === undefined || changeSet === undefined) return;
    await writeTexts(write);
    await recordVersions(write, 'update', changeSet.payload);
  }

  async afterDelete({ entity, em, changeSet }: Args): Promise<void> {
    const plan = this.#plan(entity);
    if (plan === undefined) return;
    const objectId = changeSet?.getSerializedPrimaryKey() ?? objectIdOf(entity);
    if (plan.translated.size > 0) await deleteTranslations(em, plan.name, objectId);
    if (plan.versioned !== undefined)
      await writeVersion(em, plan, { action: 'remove', objectId, locale: null, data: null });
  }

  #plan(entity: object): EntityPlan | undefined {
    return this.plans.get(entity.constructor.name);
  }

  #writeOf(em: EntityManager, entity: object): EntityWrite | undefined {
    const plan = this.#plan(entity);
    if (plan === undefined) return undefined;
    const state = plan.translated.size === 0 ? undefined : this.states.open(entity, this.localeOf(em));
    return { em, entity, plan, state };
  }
}

/** Returns the fields that the application changes with an update, including texts in another language. */
function changedFields(
  { payload, type, meta }: ChangeSet<AnyEntity>,
  state: TranslationState | undefined,
): Set<string> {
  const changed = new Set([...Object.keys(payload), ...(state?.texts.keys() ?? [])]);
  if (type === mikroOrm.ChangeSetType.UPDATE) for (const key of meta.primaryKeys) changed.delete(key);
  return changed;
}

/** An entity manager, by the methods that are used: MikroORM may be installed several times. */
export const entityManager: OptionType<EntityManager> = objectWith(
  'an EntityManager of MikroORM',
  'getEventManager',
  'fork',
);

/** Returns the behaviours that an entity manager's ORM was initialized with; undefined if there are none. */
export function findBehaviours(em: EntityManager): BehaviourSubscriber | undefined {
  return [...em.getEventManager().getSubscribers()].find((one) => one instanceof BehaviourSubscriber);
}

/** Returns the behaviours that an entity manager's ORM was initialized with. Throws `PERSISTENCE_NOT_ENABLED`. */
export function getBehaviours(em: EntityManager): BehaviourSubscriber {
  checkValue('a function of lookback/persistence', 'em', em, entityManager);
  const behaviours = findBehaviours(em);
  if (behaviours !== undefined) return behaviours;
  throw persistenceErrors.create('PERSISTENCE_NOT_ENABLED', {});
}

/** Sets an entity's tracked fields for one write. Keeps values that the application set itself. */
function trackFields({ em, entity, plan }: EntityWrite, changed?: ReadonlySet<string>): void {
  const values = entityValues(entity);
  const isSet = (field: string): boolean =>
    changed === undefined ? (values[field] ?? undefined) !== undefined : changed.has(field);
  for (const tracked of plan.tracked) {
    const { field, on, watched, to } = tracked;
    const applies =
      on === 'change'
        ? watched.some(isSet) && (to === undefined || to.includes(values[watched[0] ?? '']))
        : on === 'update' || changed === undefined;
    if (applies && !isSet(field)) fill(entity, tracked, em);
  }
}

function fill(entity: object, tracked: TrackedField, em: EntityManager): void {
  const actor = actorOf(em);
  const fact = tracked.source === 'time' ? (actor.now?.() ?? new Date()) : actor.user?.();
  if (fact === undefined) {
    // The actor is unknown: an empty field is better than the previous actor.
    if (tracked.on !== 'create' && tracked.nullable) entityValues(entity)[tracked.field] = null;
    return;
  }
  const plain = fact instanceof Date ? fact : fact.identifier;
  const value = tracked.value === undefined ? plain : tracked.value(fact as never, em); // a fact from the rule's source
  entityValues(entity)[tracked.field] = value;
}
