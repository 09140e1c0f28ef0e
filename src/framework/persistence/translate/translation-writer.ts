import type { AnyEntity, ChangeSet, UnitOfWork } from '@mikro-orm/core';
import {
  ensureChangeSet,
  entityValues,
  type FieldValues,
  objectIdOf,
  originalOf,
  setQuietly,
} from '../orm/mikro-orm.js';
import { writeTranslations } from './translation-store.js';
import {
  type EntityWrite,
  isEdited,
  restoreBase,
  type TranslationState,
  type TranslationStates,
} from '../unit/translation-state.js';
import type { EntityPlan, EntityPlans } from '../plan/compile-plan.js';

interface FlushTexts {
  readonly plans: EntityPlans;
  readonly states: TranslationStates;
  /** Language of entities without a state. */
  readonly locale: string;
}

/**
 * Makes texts that are only shown equal to the row while MikroORM looks for changes, so that an entity that only shows
 * another language is not written. Returns a function that undoes this.
 */
export function hideShownTexts(uow: UnitOfWork, states: TranslationStates): () => void {
  const rows: [row: FieldValues, own: FieldValues][] = [];
  for (const entity of uow.getIdentityMap()) {
    const state = states.find(entity);
    const row = originalOf(entity);
    if (state === undefined || row === undefined) continue;
    const own: FieldValues = {};
    for (const [field, text] of state.shown) {
      if (!Object.hasOwn(row, field) || isEdited(entity, state, field)) continue;
      own[field] = row[field];
      row[field] = text;
    }
    rows.push([row, own]);
  }
  return () => {
    for (const [row, own] of rows) Object.assign(row, own);
  };
}

/**
 * Before the flush: removes other languages' texts from the updates of the entities' own rows, and adds an entity if
 * only its texts changed.
 */
export function separateTexts(uow: UnitOfWork, flush: FlushTexts): void {
  const { plans, states, locale } = flush;
  const { defaultLocale } = states;
  returnExtraUpdates(uow, flush);
  const changeSets = new Map<object, ChangeSet<AnyEntity>>(
    uow.getChangeSets().map((one) => [one.entity, one]),
  );
  for (const entity of uow.getIdentityMap()) {
    const plan = plans.get(entity.constructor.name);
    if (plan === undefined || plan.translated.size === 0 || uow.getRemoveStack().has(entity)) continue;
    const known = states.find(entity);
    known?.texts.clear(); // left over from a failed flush
    const present = changeSets.get(entity);
    if (present !== undefined && present.type !== 'update') continue;
    const hasTexts =
      known !== undefined &&
      known.locale !== defaultLocale &&
      changedTexts(entity, known, { plan, payload: {} }).size > 0;
    const changeSet = hasTexts ? ensureChangeSet(uow, entity, changeSets) : present;
    if (changeSet === undefined) continue;
    const state = states.open(entity, locale);
    separate(changeSet, plan, { state, defaultLocale });
  }
}

/** Moves one update's texts. Called again just before the update runs, for changes made in the meantime. */
export function separate(
  changeSet: ChangeSet<AnyEntity>,
  plan: EntityPlan,
  { state, defaultLocale }: { readonly state: TranslationState; readonly defaultLocale: string },
): void {
  const { entity } = changeSet;
  const payload = changeSet.payload as FieldValues; // keyed by property name
  if (state.locale !== defaultLocale) {
    for (const [field, value] of changedTexts(entity, state, { plan, payload })) {
      state.texts.set(field, value);
      if (!state.base.has(field)) state.base.set(field, originalOf(entity)?.[field]);
    }
    for (const field of plan.translated) delete payload[field];
  }
  if (state.texts.size > 0 && Object.keys(payload).length === 0) {
    // An update that changes nothing in the row: it locks the row, increments the version and runs the hooks.
    const key = changeSet.meta.primaryKeys[0];
    if (key !== undefined) payload[key] = entityValues(entity)[key];
  }
}

/** After a new entity's row is written: writes its texts. */
export async function writeNew(write: EntityWrite, defaultLocale: string): Promise<void> {
  const { entity, plan, state } = write;
  if (state === undefined) return;
  state.texts.clear(); // left over from a failed flush
  if (state.locale !== defaultLocale) {
    for (const field of plan.translated) {
      const value = entityValues(entity)[field];
      state.base.set(field, originalOf(entity)?.[field]);
      if (typeof value === 'string') state.texts.set(field, value);
    }
  }
  await writeTexts(write);
}

/** After the row is written: writes its texts. */
export async function writeTexts({ em, entity, plan, state }: EntityWrite): Promise<void> {
  if (state === undefined) return;
  const { texts, locale } = state;
  if (texts.size > 0) {
    await writeTranslations(em, { entity: plan.name, objectId: objectIdOf(entity), locale }, texts);
    for (const [field, value] of texts) state.shown.set(field, value);
    setQuietly(entity, texts);
  }
  restoreBase(entity, state);
  for (const field of state.base.keys()) if (!state.shown.has(field)) state.base.delete(field);
}

/**
 * Returns the fields whose text differs from the shown one; a field that was never loaded, if the update includes it.
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
    if (isKnown && !isEdited(entity, state, field)) continue;
    const now = entityValues(entity)[field];
    changed.set(field, typeof now === 'string' ? now : null);
  }
  return changed;
}

/** MikroORM postpones unique fields of several updates and empties them: restores other languages' texts. */
function returnExtraUpdates(uow: UnitOfWork, { plans, states }: FlushTexts): void {
  for (const extra of uow.getExtraUpdates()) {
    const [entity, fields, values] = extra;
    const plan = plans.get(entity.constructor.name);
    if (plan === undefined || !Array.isArray(fields) || !Array.isArray(values)) continue;
    if ((states.find(entity)?.locale ?? states.defaultLocale) === states.defaultLocale) continue;
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
