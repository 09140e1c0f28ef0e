import type { AnyEntity, ChangeSet, UnitOfWork } from '@mikro-orm/core';
import {
  dropChangeSet,
  ensureChangeSet,
  entityValues,
  type FieldValues,
  objectIdOf,
  originalOf,
  setQuietly,
} from '../orm/mikro-orm.js';
import { writeTranslations } from './translation-store.js';
import { restoreBase, type TranslationState } from '../unit/translation-state.js';
import type { EntityPlan, EntityPlans } from '../plan/compile-plan.js';
import type { EntityWrite, FlushWork, FlushWorks } from '../unit/flush-work.js';

/**
 * Before the flush: removes texts of other languages from the updates of the entities' own rows. Removes an entity from
 * the flush if it only shows another language, and adds one if only its texts changed.
 */
export function separateTexts(uow: UnitOfWork, plans: EntityPlans, works: FlushWorks): void {
  returnExtraUpdates(uow, plans, works);
  const changeSets = new Map<object, ChangeSet<AnyEntity>>(
    uow.getChangeSets().map((one) => [one.entity, one]),
  );
  for (const entity of uow.getIdentityMap()) {
    const plan = plans.get(entity.constructor.name);
    if (plan === undefined || plan.translated.size === 0 || uow.getRemoveStack().has(entity)) continue;
    const present = changeSets.get(entity);
    if (present !== undefined && present.type !== 'update') continue;
    const changeSet = hasTexts(entity, plan, works) ? ensureChangeSet(uow, entity, changeSets) : present;
    if (changeSet === undefined) continue;
    separate(changeSet, plan, works);
    if (isIdle(changeSet, works)) dropChangeSet(uow, entity);
  }
}

/** Moves the texts of one update. Called again just before the update runs, for changes made in the meantime. */
export function separate(changeSet: ChangeSet<AnyEntity>, plan: EntityPlan, works: FlushWorks): void {
  const { entity } = changeSet;
  const work = works.open(entity);
  const payload = changeSet.payload as FieldValues; // keyed by property name
  const state = works.states.open(entity, work.locale);
  work.locale = state.locale;
  if (state.locale !== works.defaultLocale) {
    for (const [field, value] of changedTexts(entity, state, { plan, payload })) {
      work.texts.set(field, value);
      if (!state.base.has(field)) state.base.set(field, originalOf(entity)?.[field]);
    }
    for (const field of plan.translated) delete payload[field];
  }
  stageDefaults(state, work, { payload, defaultLocale: works.defaultLocale });
  if ((work.texts.size > 0 || state.staged.size > 0) && Object.keys(payload).length === 0) {
    // An update that changes nothing in the row: it locks the row, counts the version and runs the hooks.
    const key = changeSet.meta.primaryKeys[0];
    if (key !== undefined) payload[key] = entityValues(entity)[key];
  }
}

/**
 * Prepares the row of a new entity: it gets the staged texts of the default language, otherwise those that the entity
 * has.
 */
export function separateNew(changeSet: ChangeSet<AnyEntity>, works: FlushWorks): void {
  const work = works.open(changeSet.entity);
  const state = works.states.open(changeSet.entity, work.locale);
  work.locale = state.locale;
  const payload = changeSet.payload as FieldValues; // keyed by property name
  stageDefaults(state, work, { payload, defaultLocale: works.defaultLocale });
}

/** After the row of a new entity is written: writes its texts. */
export async function writeNew(write: EntityWrite): Promise<void> {
  const { entity, plan, works, work } = write;
  const state = works.states.open(entity, work.locale);
  if (state.locale !== works.defaultLocale) {
    for (const field of plan.translated) {
      const value = entityValues(entity)[field];
      state.base.set(field, originalOf(entity)?.[field]);
      if (typeof value === 'string') work.texts.set(field, value);
    }
  }
  await writeTexts(write);
}

/** After the row is written: writes the texts that belong to it. */
export async function writeTexts({ em, entity, plan, works, work }: EntityWrite): Promise<void> {
  const state = works.states.open(entity, work.locale);
  const id = { entity: plan.name, objectId: objectIdOf(entity) };
  if (work.texts.size > 0) {
    await writeTranslations(em, { ...id, locale: state.locale }, work.texts);
    for (const [field, value] of work.texts) state.shown.set(field, value);
    setQuietly(entity, work.texts);
  }
  for (const [locale, texts] of state.staged) {
    await writeTranslations(em, { ...id, locale }, texts);
    work.staged.set(locale, texts);
  }
  state.staged.clear();
  restoreBase(entity, state);
  // If the entity shows the row's own text because a translation is missing, it now shows the new one.
  const fallbacks = [...(work.staged.get(works.defaultLocale) ?? [])].filter(
    ([field]) => !state.shown.has(field),
  );
  setQuietly(entity, new Map(fallbacks));
  for (const field of state.base.keys()) if (!state.shown.has(field)) state.base.delete(field);
}

function hasTexts(entity: AnyEntity, plan: EntityPlan, works: FlushWorks): boolean {
  const state = works.states.find(entity);
  if (state === undefined) return false;
  if (state.staged.size > 0) return true;
  return state.locale !== works.defaultLocale && changedTexts(entity, state, { plan, payload: {} }).size > 0;
}

/**
 * Returns the fields whose text is no longer the one shown. A field that was never loaded counts if the update contains
 * it.
 */
function changedTexts(
  entity: object,
  state: TranslationState,
  { plan, payload }: { readonly plan: EntityPlan; readonly payload: FieldValues },
): Map<string, string | null> {
  const changed = new Map<string, string | null>();
  const original = originalOf(entity) ?? {};
  for (const field of plan.translated) {
    const isKnown = state.shown.has(field) || Object.hasOwn(original, field);
    if (!isKnown && !(field in payload)) continue;
    const before = state.shown.has(field) ? state.shown.get(field) : original[field];
    const now = entityValues(entity)[field] ?? null;
    if (isKnown && now === (before ?? null)) continue;
    changed.set(field, typeof now === 'string' ? now : null);
  }
  return changed;
}

function stageDefaults(
  state: TranslationState,
  work: FlushWork,
  { payload, defaultLocale }: { readonly payload: FieldValues; readonly defaultLocale: string },
): void {
  const texts = state.staged.get(defaultLocale) ?? work.staged.get(defaultLocale);
  if (texts === undefined) return;
  state.staged.delete(defaultLocale);
  work.staged.set(defaultLocale, texts);
  for (const [field, value] of texts) {
    payload[field] = value;
    state.base.set(field, value);
  }
}

function isIdle(changeSet: ChangeSet<AnyEntity>, works: FlushWorks): boolean {
  const work = works.find(changeSet.entity);
  const staged = works.states.find(changeSet.entity)?.staged.size ?? 0;
  return (
    changeSet.type === 'update' &&
    Object.keys(changeSet.payload).length === 0 &&
    (work?.texts.size ?? 0) + staged === 0
  );
}

/**
 * MikroORM postpones unique fields of several updates and empties them. Restores those of them that are texts of other
 * languages.
 */
function returnExtraUpdates(uow: UnitOfWork, plans: EntityPlans, works: FlushWorks): void {
  for (const extra of uow.getExtraUpdates()) {
    const [entity, fields, values] = extra;
    const plan = plans.get(entity.constructor.name);
    if (plan === undefined || !Array.isArray(fields) || !Array.isArray(values)) continue;
    if ((works.states.find(entity)?.locale ?? works.defaultLocale) === works.defaultLocale) continue;
    for (let index = fields.length - 1; index >= 0; index--) {
      const field = fields[index] ?? '';
      if (!plan.translated.has(field)) continue;
      setQuietly(entity, new Map([[field, values[index]]]));
      fields.splice(index, 1);
      values.splice(index, 1);
    }
    if (fields.length === 0) uow.getExtraUpdates().delete(extra);
  }
}
