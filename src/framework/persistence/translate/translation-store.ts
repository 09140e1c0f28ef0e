import type { EntityManager, EntitySchema, Options } from '@mikro-orm/core';
import { isLoaded, mikroOrm, objectIdOf, setQuietly } from '../orm/mikro-orm.js';
import { showTexts, type Texts, type TranslationStates } from '../unit/translation-state.js';
import type { EntityPlan } from '../plan/compile-plan.js';

interface TranslationRow {
  entity: string;
  objectId: string;
  locale: string;
  field: string;
  value: string | null;
}

export const translationName = 'StoredTranslation';

export function createTranslationSchema(): EntitySchema<TranslationRow> {
  return new mikroOrm.EntitySchema<TranslationRow>({
    name: translationName,
    tableName: 'ext_translations',
    properties: {
      entity: { type: 'string', primary: true, length: 150 },
      objectId: { type: 'string', primary: true, length: 150 },
      locale: { type: 'string', primary: true, length: 35 },
      field: { type: 'string', primary: true, length: 100 },
      value: { type: 'text', nullable: true },
    },
  });
}

const idsPerQuery = 500;

/** Reads entities' translations, in all or the given languages, in `em`'s transaction if there is one. */
export async function readTranslations(
  em: EntityManager,
  entity: string,
  objectIds: readonly string[],
  locales?: readonly string[],
): Promise<TranslationRow[]> {
  const rows: TranslationRow[] = [];
  for (let start = 0; start < objectIds.length; start += idsPerQuery) {
    const chunk = objectIds.slice(start, start + idsPerQuery);
    const found = await em
      .getDriver()
      .find<TranslationRow>(
        translationName,
        { entity, objectId: { $in: chunk }, ...(locales && { locale: { $in: [...locales] } }) },
        inTransaction(em),
      );
    rows.push(...(found as TranslationRow[])); // all fields are selected
  }
  return rows;
}

/** Writes one entity's texts in one language; null removes a translation. */
export async function writeTranslations(
  em: EntityManager,
  place: { readonly entity: string; readonly objectId: string; readonly locale: string },
  texts: Texts,
): Promise<void> {
  const { entity, objectId, locale } = place;
  const removed = [...texts].filter(([, value]) => value === null).map(([field]) => field);
  const kept = [...texts].filter(([, value]) => value !== null);
  if (removed.length > 0) {
    await em
      .getDriver()
      .nativeDelete<TranslationRow>(
        translationName,
        { entity, objectId, locale, field: { $in: removed } },
        inTransaction(em),
      );
  }
  if (kept.length > 0) {
    const keys = kept.map(([field]) => ({ entity, objectId, locale, field }));
    const rows = kept.map(([field, value]) => ({ entity, objectId, locale, field, value }));
    await em
      .getDriver()
      .nativeUpdateMany<TranslationRow>(translationName, keys, rows, { ...inTransaction(em), upsert: true });
  }
}

export async function deleteTranslations(em: EntityManager, entity: string, objectId: string): Promise<void> {
  await em.getDriver().nativeDelete<TranslationRow>(translationName, { entity, objectId }, inTransaction(em));
}

/** Returns `em`'s transaction, if any, as an option for the driver. */
export function inTransaction(em: EntityManager): {
  ctx?: NonNullable<ReturnType<EntityManager['getTransactionContext']>>;
} {
  const ctx = em.getTransactionContext();
  return ctx === undefined ? {} : { ctx };
}

interface ReadContext {
  readonly em: EntityManager;
  readonly states: TranslationStates;
  readonly locale: string;
}

/** Shows new entities in `locale`. The first of a class also shows all other waiting ones: one query per class. */
export async function showLoaded(entity: object, plan: EntityPlan, context: ReadContext): Promise<void> {
  const { states } = context;
  const known = states.find(entity);
  if (known !== undefined && !known.isStale) return known.ready;
  const locale = known?.locale ?? context.locale;
  if (locale === states.defaultLocale) {
    states.open(entity, locale).isStale = false;
    return;
  }
  const waiting = waitingWith(entity, plan, { ...context, locale });
  const ready = readAndShow(waiting, plan, { ...context, locale });
  for (const one of waiting) Object.assign(states.open(one, locale), { ready, isStale: false });
  await ready;
}

/** Reads entities' texts in a language and shows them. Opens their states if needed. */
export async function readAndShow(
  entities: readonly object[],
  plan: EntityPlan,
  context: ReadContext,
): Promise<void> {
  const { em, states, locale } = context;
  const chain = states.chain(locale);
  const wanted = new Map(entities.map((entity) => [objectIdOf(entity), entity]));
  const rows = chain.length === 0 ? [] : await readTranslations(em, plan.name, [...wanted.keys()], chain);
  const byEntity = new Map<string, TranslationRow[]>();
  for (const row of rows) byEntity.set(row.objectId, [...(byEntity.get(row.objectId) ?? []), row]);
  for (const [id, entity] of wanted) {
    showTexts(entity, states.open(entity, locale), bestTexts(plan, chain, byEntity.get(id) ?? []));
  }
}

/**
 * Returns every loaded entity in the class whose texts in this language have not been read, or not since its row was.
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

/** Returns each field's text in the first language of the chain that has one; null if there is none and no fallback. */
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

type HydratorConstructor = NonNullable<Options['hydrator']>;
/**
 * Creates a hydrator that keeps translated entities in their language when MikroORM reads their rows again: it stores
 * the row's texts and keeps the shown texts, which are re-read at MikroORM's next load event.
 */
export function createTranslatingHydrator(
  Base: HydratorConstructor | undefined,
  states: TranslationStates,
): HydratorConstructor {
  const Parent = (Base ?? mikroOrm.ObjectHydrator) as typeof mikroOrm.ObjectHydrator; // hydrators have this class's interface
  return class TranslatingHydrator extends Parent {
    override hydrate<Entity extends object>(
      ...given: Parameters<typeof Parent.prototype.hydrate<Entity>>
    ): void {
      super.hydrate(...given);
      const [entity, , data] = given;
      const state = states.find(entity);
      if (state === undefined) return;
      const kept = new Map<string, unknown>();
      for (const [field, text] of state.shown) {
        const value: unknown = Reflect.get(data, field);
        if (value === undefined) continue;
        state.base.set(field, value);
        kept.set(field, text);
      }
      setQuietly(entity, kept);
      state.isStale = true;
      mikroOrm.helper(entity).__onLoadFired = false;
    }
  };
}
