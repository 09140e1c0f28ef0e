import type { EntityManager } from '@mikro-orm/core';
import type { EntityPlan } from '../plan/entity-plan.js';
import type { TranslationRow } from '../store/translation-schema.js';
import { isLoaded } from '../orm/entity-internals.js';
import type { Locales } from '../unit/locales.js';
import { byObjectId, showTexts } from '../unit/translation-state.js';
import type { TranslationStates } from '../unit/translation-state.js';
import { readTranslations } from './translation-store.js';

interface ReadContext {
  readonly em: EntityManager;
  readonly states: TranslationStates;
  readonly locales: Locales;
  readonly locale: string;
}

/**
 * Shows newly loaded entities in `locale`. The first entity of a class also shows all others that wait in the unit of
 * work: one query per class, not per entity.
 */
export async function showLoaded(entity: object, plan: EntityPlan, context: ReadContext): Promise<void> {
  const { states, locales } = context;
  const known = states.find(entity);
  if (known !== undefined && !known.isStale) return known.ready;
  const locale = known?.locale ?? context.locale;
  if (locale === locales.default) {
    states.open(entity, locale).isStale = false;
    return;
  }
  const waiting = waitingWith(entity, plan, { ...context, locale });
  const ready = readAndShow(waiting, plan, { ...context, locale });
  for (const one of waiting) Object.assign(states.open(one, locale), { ready, isStale: false });
  await ready;
}

/** Reads the texts of entities in a language and shows them. Opens their states if needed. */
export async function readAndShow(
  entities: readonly object[],
  plan: EntityPlan,
  context: ReadContext,
): Promise<void> {
  const { em, states, locales, locale } = context;
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

/**
 * Returns every loaded entity of the same class whose texts in this language have not been read, or not since its row
 * was read.
 */
function waitingWith(entity: object, plan: EntityPlan, { em, states, locale }: ReadContext): object[] {
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

/**
 * Returns the text of each field in the first language of the chain that has one; null if there is none and no
 * fallback.
 */
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
