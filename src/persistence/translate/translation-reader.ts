import type { EntityManager } from '@mikro-orm/core';
import type { EntityPlan } from '../plan/entity-plan.js';
import type { TranslationRow } from '../store/translation-schema.js';
import { isLoaded } from '../orm/entity-internals.js';
import type { Locales } from '../unit/locales.js';
import { byObjectId, showTexts } from '../unit/translation-state.js';
import type { TranslationStates } from '../unit/translation-state.js';
import { readTranslations } from './translation-store.js';

interface ReadPlace {
  readonly em: EntityManager;
  readonly states: TranslationStates;
  readonly locales: Locales;
  readonly locale: string;
}

/**
 * Shows freshly loaded entities in `locale`. The first entity of a kind brings all the others that wait in the unit
 * of work with it: one query a kind, not one an entity.
 */
export async function showLoaded(entity: object, plan: EntityPlan, place: ReadPlace): Promise<void> {
  const { states, locales } = place;
  const known = states.find(entity);
  if (known !== undefined && !known.isStale) return known.ready;
  const locale = known?.locale ?? place.locale;
  if (locale === locales.default) {
    states.open(entity, locale).isStale = false;
    return;
  }
  const waiting = waitingWith(entity, plan, { ...place, locale });
  const ready = readAndShow(waiting, plan, { ...place, locale });
  for (const one of waiting) Object.assign(states.open(one, locale), { ready, isStale: false });
  await ready;
}

/** Reads the texts of entities in a language and shows them; the states are open already or opened here. */
export async function readAndShow(
  entities: readonly object[],
  plan: EntityPlan,
  place: ReadPlace,
): Promise<void> {
  const { em, states, locales, locale } = place;
  const chain = locales.chain(locale);
  const wanted = byObjectId(entities);
  const rows =
    chain.length === 0
      ? []
      : await readTranslations(em, { entity: plan.name, objectIds: [...wanted.keys()], locales: chain });
  const byEntity = groupByEntity(rows);
  for (const [id, entity] of wanted) {
    showTexts(entity, states.open(entity, locale), bestTexts(plan, chain, byEntity.get(id) ?? []));
  }
}

/** Every loaded entity of this kind whose texts in this language have not been read, or not since its row was. */
function waitingWith(entity: object, plan: EntityPlan, { em, states, locale }: ReadPlace): object[] {
  const store = em.getUnitOfWork(false).getIdentityMap().getStore<object>(plan.meta.root);
  const others = [...store.values()].filter((other) => {
    if (other.constructor !== entity.constructor || !isLoaded(other)) return false;
    const state = states.find(other);
    return state === undefined || (state.isStale && state.locale === locale);
  });
  return others.includes(entity) ? others : [entity, ...others];
}

function groupByEntity(rows: readonly TranslationRow[]): Map<string, TranslationRow[]> {
  const groups = new Map<string, TranslationRow[]>();
  for (const row of rows) {
    const group = groups.get(row.objectId);
    if (group === undefined) groups.set(row.objectId, [row]);
    else group.push(row);
  }
  return groups;
}

/** For each field the text of the first language of the chain that has one; null where nothing may stand in. */
function bestTexts(
  plan: EntityPlan,
  chain: readonly string[],
  rows: readonly TranslationRow[],
): Map<string, unknown> {
  const texts = new Map<string, unknown>();
  for (const field of plan.translated) {
    const locale = chain.find((tag) => rows.some((row) => row.field === field && row.locale === tag));
    const row = rows.find((candidate) => candidate.field === field && candidate.locale === locale);
    if (row !== undefined) texts.set(field, row.value);
    else if (!plan.fallback) texts.set(field, null);
  }
  return texts;
}
