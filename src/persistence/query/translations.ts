import type { EntityManager } from '@mikro-orm/core';
import { persistenceErrors } from '../orm/error-codes.js';
import type { FieldOf } from '../declare/behaviours.js';
import { type BehaviourSubscriber, getBehaviours, findBehaviours } from '../hooks/behaviour-subscriber.js';
import type { EntityPlan } from '../plan/entity-plan.js';
import { objectIdOf, originalOf, setQuietly, valuesOf } from '../orm/entity-internals.js';
import { readAndShow } from '../translate/translation-reader.js';
import { readTranslations } from '../translate/translation-store.js';
import type { TranslationState } from '../unit/translation-state.js';

/** Returns the language in which an entity is shown and edited. */
export function localeOf(em: EntityManager, entity: object): string {
  const subscriber = getBehaviours(em);
  return subscriber.states.find(entity)?.locale ?? subscriber.localeOf(em);
}

/**
 * Returns whether a field has a text in the language in which the entity is shown (`fr` counts for `fr-CA`). Returns
 * false if the text of another language is shown, so that a page can mark it (`lang`). Sends no query.
 */
export function isTranslated<Entity extends object>(
  em: EntityManager,
  entity: Entity,
  field: FieldOf<Entity>,
): boolean {
  const { subscriber, state } = translated(em, entity);
  return state.locale === subscriber.locales.default || typeof state.shown.get(field) === 'string';
}

/**
 * Shows an entity in another language, to which later edits apply. Throws `PERSISTENCE_UNSAVED_TRANSLATION` if edits in
 * the current language are not flushed yet.
 */
export async function showIn(em: EntityManager, entity: object, locale: string): Promise<void> {
  const { subscriber, plan, state } = translated(em, entity);
  const wanted = subscriber.locales.canonical(locale);
  requireSaved(entity, plan, state);
  state.locale = wanted;
  await rereadTexts(em, entity, { subscriber, plan, state });
}

/**
 * Returns all stored texts of an entity by language and field, including those of the default language from its own
 * row.
 */
export async function translationsOf(
  em: EntityManager,
  entity: object,
): Promise<Map<string, Record<string, string | null>>> {
  const { subscriber, plan, state } = translated(em, entity);
  const rows = await readTranslations(em, { entity: plan.name, objectIds: [objectIdOf(entity)] });
  const all = new Map<string, Record<string, string | null>>();
  const own = [...plan.translated].map((field) => [
    field,
    state.base.has(field) ? state.base.get(field) : valuesOf(entity)[field],
  ]);
  all.set(subscriber.locales.default, Object.fromEntries(own));
  for (const { locale, field, value } of rows) {
    const texts = all.get(locale) ?? {};
    texts[field] = value;
    all.set(locale, texts);
  }
  return all;
}

/** Texts of an entity by language and field; null removes a text. */
export type TranslationTexts<Entity extends object> = {
  readonly [locale: string]: { readonly [Field in FieldOf<Entity>]?: string | null };
};

/**
 * Sets texts in any languages, whichever language is shown: `{ de: { title: 'Guten Tag' } }`. The next flush writes
 * them. For the language shown, this is the same as setting the fields.
 */
export function setTranslations<Entity extends object>(
  em: EntityManager,
  entity: Entity,
  texts: TranslationTexts<Entity>,
): void {
  const { subscriber, plan, state } = translated(em, entity);
  const given = Object.entries(texts).flatMap(([locale, fields]) => {
    const wanted = subscriber.locales.canonical(locale);
    return Object.entries<string | null | undefined>(fields).map(
      ([field, value]) => [wanted, field, value] as const,
    );
  });
  for (const [wanted, field, value] of given) {
    if (value === undefined) continue;
    if (!plan.translated.has(field)) {
      throw persistenceErrors.create('PERSISTENCE_UNKNOWN_FIELD', {
        behaviour: 'translatable',
        entity: plan.name,
        field,
      });
    }
    if (wanted === state.locale) valuesOf(entity)[field] = value;
    else {
      const staged = state.staged.get(wanted) ?? new Map<string, string | null>();
      state.staged.set(wanted, staged.set(field, value));
    }
  }
}

function requireSaved(entity: object, plan: EntityPlan, state: TranslationState): void {
  const original = originalOf(entity) ?? {};
  const changed = [...plan.translated].some((field) => {
    const before = state.shown.has(field) ? state.shown.get(field) : original[field];
    return (valuesOf(entity)[field] ?? null) !== (before ?? null);
  });
  if (!changed && state.staged.size === 0) return;
  throw persistenceErrors.create('PERSISTENCE_UNSAVED_TRANSLATION', {
    entity: plan.name,
    id: objectIdOf(entity),
    locale: state.locale,
  });
}

interface Translated {
  readonly subscriber: BehaviourSubscriber;
  readonly plan: EntityPlan;
  readonly state: TranslationState;
}

function translated(em: EntityManager, entity: object): Translated {
  const subscriber = getBehaviours(em);
  const name = entity.constructor.name;
  const plan = subscriber.plans.get(name);
  if (plan === undefined || plan.translated.size === 0) {
    throw persistenceErrors.create('PERSISTENCE_NOT_DECLARED', { entity: name, behaviour: 'translatable' });
  }
  return { subscriber, plan, state: subscriber.states.open(entity, subscriber.localeOf(em)) };
}

/**
 * Reads the texts of an entity again after its row was read again, in the language in which it was shown. Discards
 * edits.
 */
export async function showAgain(em: EntityManager, entity: object): Promise<void> {
  const behaviours = findBehaviours(em);
  const state = behaviours?.states.find(entity);
  const plan = behaviours?.plans.get(entity.constructor.name);
  if (behaviours === undefined || state === undefined || plan === undefined) return;
  state.staged.clear();
  await rereadTexts(em, entity, { subscriber: behaviours, plan, state });
}

/** Resets an entity to its row's own texts, and shows it in the language of its state. */
async function rereadTexts(
  em: EntityManager,
  entity: object,
  { subscriber: { states, locales }, plan, state }: Translated,
): Promise<void> {
  setQuietly(entity, state.base);
  state.base.clear();
  state.shown.clear();
  await readAndShow([entity], plan, { em, states, locales, locale: state.locale });
}

/** Runs `read` while every entity of the unit of work has its row's own texts. */
export function withRowTexts<Result>(
  em: EntityManager,
  { states }: BehaviourSubscriber,
  read: () => Result,
): Result {
  const hidden: [object, Map<string, unknown>][] = [];
  for (const entity of em.getContext(false).getUnitOfWork(false).getIdentityMap()) {
    const state = states.find(entity);
    if (state === undefined || state.shown.size === 0) continue;
    hidden.push([
      entity,
      new Map([...state.shown.keys()].map((field) => [field, Reflect.get(entity, field)])),
    ]);
    setQuietly(entity, state.base);
  }
  try {
    return read();
  } finally {
    for (const [entity, values] of hidden) setQuietly(entity, values);
  }
}
